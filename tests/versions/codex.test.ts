import { beforeAll } from "vitest";
import { assertInNamespace } from "../rig/namespace.ts";
import { versionsOf } from "../rig/programs.ts";
import { describeVersion } from "./cases.ts";
import { INLINE } from "./codex-inline.ts";
import { codexDesk } from "./desks.ts";

beforeAll(assertInNamespace);

for (const version of versionsOf("codex").filter((one) => !INLINE.includes(one))) {
  describeVersion(`Codex ${version}`, () => codexDesk(version));
}
