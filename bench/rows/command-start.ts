/** `bellhop send` as a process, from its start to its exit, against an empty Node. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { DaemonStage } from "../rig/daemon-stage.ts";
import { type Arm, duel, sizesFor, timed } from "../rounds.ts";
import { atMost, type Extent, type Row } from "../row.ts";

const COMMAND = fileURLToPath(new URL("../../bin/bellhop.cjs", import.meta.url));
const MAILBOX = "nobody-runs-it";
const DEADLINE_MS = 20_000;

export async function commandStartRows(extent: Extent, stage: DaemonStage): Promise<readonly Row[]> {
  await stage.client.call("agent_add", { name: MAILBOX });
  const env = stage.bellhop.env;
  const node = (args: readonly string[]) => async () => {
    const child = spawn(process.execPath, [...args], { env, stdio: "ignore", timeout: DEADLINE_MS });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}`);
  };
  const send = node([COMMAND, "send", MAILBOX, "the tests are red"]);
  const empty = node(["-e", "0"]);
  const ours: Arm = { what: "bellhop send", sample: () => timed(send) };
  const peer: Arm = { what: "node -e 0", sample: () => timed(empty) };
  const sizes = sizesFor(extent, {
    quick: { rounds: 5, samplesPerRound: 5 },
    full: { rounds: 15, samplesPerRound: 5 },
  });
  const row = await duel(
    {
      group: "command-start",
      name: "bellhop send, start to exit",
      ours,
      peer,
      unit: "ms",
      goal: atMost(1.45),
      note: "without NODE_EXTRA_CA_CERTS, to a running daemon",
    },
    sizes,
  );
  return [row];
}
