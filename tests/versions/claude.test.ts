import { beforeAll } from "vitest";
import { assertInNamespace } from "../rig/namespace.ts";
import { versionsOf } from "../rig/programs.ts";
import { describeVersion } from "./cases.ts";
import { claudeDesk } from "./desks.ts";

beforeAll(assertInNamespace);

for (const version of versionsOf("claude")) {
  describeVersion(`Claude Code ${version}`, () => claudeDesk(version));
}
