// Runs a command in a network namespace that has nothing but loopback:
//   node tests/rig/in-namespace.mjs -- CMD…
// The agents under test can then reach nothing but the fake model. There is no fallback: a suite that ran outside
// would talk to the real services. No process that it started outlives it.
import { constants } from "node:os";
import { noLoopbackNamespace, onStop, spawnContained } from "../../scripts/contain.mjs";

const [separator, ...command] = process.argv.slice(2);
if (separator !== "--" || command.length === 0) {
  fail("usage: node tests/rig/in-namespace.mjs -- CMD…", 2);
}
const reason = noLoopbackNamespace();
if (reason !== undefined) fail(reason);

const { child, stop } = spawnContained(command, {
  loopbackOnly: true,
  stdio: "inherit",
  env: { ...process.env, BELLHOP_RIG_NAMESPACE: "1" },
});
onStop((signal) => {
  stop();
  process.exit(128 + constants.signals[signal]);
});
child.on("error", (cause) => fail(`The namespace did not start: ${cause.message}`));
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));

function fail(line, status = 1) {
  console.error(line);
  process.exit(status);
}
