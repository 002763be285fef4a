// npm run hardship: a hard day of three hosts and a NATS of three nodes, for as long as asked; prints what happened and
// how long it took to catch up. It needs what the rig needs: Linux, and the right to make network namespaces.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { noLoopbackNamespace, onStop, spawnContained } from "./contain.mjs";
import { build, ensureCommands, ensureNode, ensurePackages, root } from "./ensure.mjs";

const HELP = `npm run hardship -- [--minutes N] [--only WORDS] [--seed NUMBER]
  --minutes N     how long troubles come, one after the other (30)
  --only WORDS    only troubles whose name has these words, such as "daemon" or "all nodes"
  --seed NUMBER   which troubles come when, and for how long (1)
`;

const asked = options();
ensureNode();
ensurePackages();
ensureCommands({
  tmux: "tmux",
  unshare: "util-linux",
  nsenter: "util-linux",
  setpriv: "util-linux",
  ip: "iproute2",
  faketime: "faketime",
  "nats-server": "nats-server",
});
const obstacle = noLoopbackNamespace();
if (obstacle !== undefined) stop(obstacle, 1);
build();

const vitest = [join(root, "node_modules", ".bin", "vitest"), "run", "--project", "hardship"];
const { child, stop: end } = spawnContained(
  [...vitest, "--reporter=default", "tests/hardship/hardship.test.ts"],
  {
    loopbackOnly: true,
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      BELLHOP_RIG_NAMESPACE: "1",
      BELLHOP_HARDSHIP_MINUTES: asked.minutes,
      BELLHOP_HARDSHIP_ONLY: asked.only,
      BELLHOP_HARDSHIP_SEED: asked.seed,
    },
  },
);
onStop(() => {
  end();
  process.exit(1);
});
child.on("error", (cause) => stop(`The namespace did not start: ${cause.message}`, 1));
child.on("exit", (code) => process.exit(code ?? 1));

function options() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: "string", default: "30" },
        only: { type: "string", default: "" },
        seed: { type: "string", default: "1" },
        help: { type: "boolean" },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    for (const name of ["minutes", "seed"])
      if (!/^\d+(?:\.\d+)?$/.test(values[name]))
        throw new Error(`--${name} is a number, not "${values[name]}"`);
    return values;
  } catch (cause) {
    return stop(`${cause.message}\n${HELP}`, 2);
  }
}

function stop(line, status) {
  console.error(line);
  process.exit(status);
}
