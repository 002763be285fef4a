/** Automatic turns of the real Codex, through the daemon's own doors. */
import { afterAll, beforeAll, describe, it } from "vitest";
import { assertInNamespace } from "../rig/namespace.ts";
import { HeadlessDay, NO_TRIAGE } from "./headless-day.ts";
import {
  CALLS,
  manyBecomeTwo,
  peersAnswer,
  smallModelDecides,
  smallModelFails,
  theNextWaits,
} from "./headless-scenes.ts";

beforeAll(assertInNamespace);

const TRIAGE = { triage_model: "gpt-5" };
/** Its sandbox lets no command reach the daemon. */
const FREE = { permission_mode: "danger-full-access" };

let day: HeadlessDay;
afterAll(() => day?.end());
beforeAll(async () => {
  day = await HeadlessDay.begin(
    "codex",
    {
      picky: TRIAGE,
      steady: { ...NO_TRIAGE, debounce_ms: 3_600_000, max_batch_size: 3 },
      busy: { ...NO_TRIAGE, ...FREE },
      alice: { ...TRIAGE, ...FREE },
      bob: TRIAGE,
    },
    { codexConfig: registeredMcp },
  );
});

/** As docs/mcp.md says; `required`, or a turn that begins before the server answers has no tools. */
const registeredMcp = (home: string): string => `[mcp_servers.bellhop]
command = "bellhop"
args = ["mcp"]
default_tools_approval_mode = "approve"
required = true
env = { BELLHOP_HOME = "${home}" }
`;

describe("what the small model says", () => {
  it("decides about a turn, and is written down", () => smallModelDecides(day));

  it("is not needed for those inside: the turn runs, in the same conversation", () => smallModelFails(day));
});

describe("many messages", () => {
  it("become a turn at once when there are enough, and nothing is read twice", () =>
    manyBecomeTwo(day, 5, 3));

  it("that come during a turn start the next one, and meanwhile anybody can see what it does", () =>
    theNextWaits(day, "command_execution: /bin/bash -lc 'touch here'"));
});

describe("an agent that writes to another", () => {
  it.each(CALLS)("by %s is answered by its turn, and reads the answer in the next one", (_, call, things) =>
    peersAnswer(day, call, things),
  );
});
