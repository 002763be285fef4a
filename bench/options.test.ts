import { describe, expect, it } from "vitest";
import { GROUPS, HELP, readOptions } from "./options.ts";

const planOf = (line: string) => {
  const asked = readOptions(line.split(" ").filter((word) => word !== ""));
  if (asked.kind !== "plan") throw new Error(`no plan: ${JSON.stringify(asked)}`);
  return asked.plan;
};

describe("the options of the bench", () => {
  it("measure everything in full, and record nothing, unless told otherwise", () => {
    expect(planOf("")).toEqual({ extent: "full", isJson: false, isRecorded: false, groups: GROUPS });
  });

  it("keep the order of the groups, whatever the order in which they are named", () => {
    expect(planOf("--quick --only steps,memory")).toMatchObject({
      extent: "quick",
      groups: ["memory", "steps"],
    });
  });

  it("choose what grows", () => {
    expect(planOf("--growth --record")).toMatchObject({
      isRecorded: true,
      groups: ["panes", "past", "listeners", "start"],
    });
  });

  it.each(["--only typo", "--only accept,typo", "--slow", "accept"])(
    "refuse %s and list the groups",
    (line) => {
      const asked = readOptions(line.split(" "));
      expect(asked.kind).toBe("wrong");
      expect(asked.kind === "wrong" ? asked.why : "").toContain(`Groups: ${GROUPS.join(", ")}.`);
    },
  );

  it.each([
    "--smoke --record",
    "--smoke --quick",
    "--only accept --growth",
    "--against x --only accept",
    "--against x --record",
  ])("refuse %s", (line) => expect(readOptions(line.split(" ")).kind).toBe("wrong"));

  it("are explained with examples that work", () => {
    expect(readOptions(["--quick", "--help"])).toEqual({ kind: "help" });
    const examples = [...HELP.matchAll(/^ {2}npm run bench -- (.*)$/gm)].map((found) => found[1] ?? "");
    expect(examples.length).toBeGreaterThan(3);
    for (const example of examples) expect(readOptions(example.split(" ")).kind, example).toBe("plan");
  });
});
