import { describe } from "vitest";
import { programContract } from "../../tests/contract/program.ts";
import { programScreensContract } from "../../tests/contract/program-screens.ts";
import { genericProfile } from "./generic/profile.ts";
import { PROGRAMS } from "./index.ts";

describe.each(PROGRAMS)("$title", (program) => programContract(program));

describe("the screens of a program that the owner taught", () => {
  programScreensContract(
    genericProfile({
      name: "taught",
      match: { command: "taught" },
      composer: { prompt: "^> " },
      busy: "working…",
      dialog: "Allow\\?",
      keys: { submit: "Enter", clear: "C-u" },
      submitDelayMs: 0,
    }),
  );
});
