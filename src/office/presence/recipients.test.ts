import { describe, expect, it, onTestFinished } from "vitest";
import { anAgent, aSession } from "../../../tests/contract/store-samples.ts";
import { emptyStore } from "../../../tests/desk/empty-store.ts";
import { type Neighbour, neighboursOf } from "../../../tests/desk/neighbourhood.ts";
import type { BellhopError } from "../../core/errors.ts";
import { Directory } from "./directory.ts";
import { Neighbours } from "./neighbourhood.ts";

/** The person is dev; here is the agent `coder`, with a past session. */
async function directoryBeside(hosts: Readonly<Record<string, Neighbour>> | undefined): Promise<Directory> {
  const store = await emptyStore();
  onTestFinished(() => store.close());
  await store.write((tx) => {
    tx.putAgent(anAgent("coder"));
    tx.putSession(aSession("0a0b0c0d", { agent: "coder" }));
  });
  return new Directory(store, "person/dev", hosts === undefined ? new Neighbours() : neighboursOf(hosts));
}

function refusal(resolve: () => unknown): Pick<BellhopError, "code" | "message" | "next" | "candidates"> {
  try {
    return { code: "internal.bug", message: `resolved: ${resolve()}`, next: "", candidates: undefined };
  } catch (error) {
    return error as BellhopError;
  }
}

const TWO = {
  box: { has: ["agent/coder", "agent/ops", "agent/writer", "session/beef0001", "agent/dev"] },
  laptop: { has: ["agent/ops"] },
};

describe("a recipient across hosts", () => {
  it("is the one here, if there is one", async () => {
    const directory = await directoryBeside(TWO);
    for (const who of ["coder", "agent/coder", "Coder", "desk:coder", "agent/coder@desk", "coder@desk"])
      expect(directory.resolveAnywhere(who)).toBe("agent/coder");
    for (const who of ["0a0b", "session/0a0b0c0d", "session/0a0b0c0d@desk"])
      expect(directory.resolveAnywhere(who)).toBe("session/0a0b0c0d");
  });

  it("is this host's person before an agent elsewhere", async () => {
    const directory = await directoryBeside(TWO);
    expect(directory.resolveAnywhere("dev")).toBe("person/dev");
    expect(directory.resolveAnywhere("person/dev@desk")).toBe("person/dev");
    expect(directory.resolveAnywhere("dev@desk")).toBe("person/dev");
    expect(directory.resolveAnywhere("person/dev@box")).toBe("person/dev@box");
  });

  it("else is the only one elsewhere", async () => {
    const directory = await directoryBeside(TWO);
    expect(directory.resolveAnywhere("writer")).toBe("agent/writer@box");
    expect(directory.resolveAnywhere("/agent/writer/")).toBe("agent/writer@box");
    expect(directory.resolveAnywhere("beef")).toBe("session/beef0001@box");
    expect(directory.resolveAnywhere("session/beef0001")).toBe("session/beef0001@box");
  });

  it("is refused with candidates if several hosts have one", async () => {
    const directory = await directoryBeside(TWO);
    for (const who of ["ops", "agent/ops"])
      expect(refusal(() => directory.resolveAnywhere(who))).toMatchObject({
        code: "recipient.ambiguous",
        candidates: ["box:ops", "laptop:ops"],
      });
    expect(directory.resolveAnywhere("laptop:ops")).toBe("agent/ops@laptop");
  });

  it("is always the one of the host that is named, known or not", async () => {
    const directory = await directoryBeside({ ...TWO, silent: {} });
    expect(directory.resolveAnywhere("agent/coder@box")).toBe("agent/coder@box");
    expect(directory.resolveAnywhere("box:coder")).toBe("agent/coder@box");
    expect(directory.resolveAnywhere("silent:whoever")).toBe("agent/whoever@silent");
    expect(directory.resolveAnywhere("agent/whoever@silent/")).toBe("agent/whoever@silent");
  });

  it("is refused on a host that is not admitted, and on this one if nobody here has the name", async () => {
    const directory = await directoryBeside(TWO);
    for (const who of ["agent/coder@bex", "bex:coder", "coder@bex", "person/dev@bex"])
      expect(refusal(() => directory.resolveAnywhere(who))).toMatchObject({
        code: "host.unknown",
        next: expect.stringContaining('Did you mean "box"?'),
      });
    expect(refusal(() => directory.resolveAnywhere("desk:writer"))).toMatchObject({
      code: "recipient.unknown",
    });
  });

  it("is unknown, and it is said where it was looked for", async () => {
    const directory = await directoryBeside(TWO);
    expect(refusal(() => directory.resolveAnywhere("nobody"))).toMatchObject({
      code: "recipient.unknown",
      message: 'No agent or session matches "nobody" on desk, box, laptop.',
    });
    expect(directory.resolveAnywhere("agent/nobody")).toBe("agent/nobody");
    expect(directory.resolveAnywhere("team/news")).toBe("team/news");
  });

  it("is refused by whatever works only where it runs", async () => {
    const directory = await directoryBeside(TWO);
    for (const who of ["writer", "agent/writer@box", "box:coder", "coder@box", "beef", "person/ada@box"])
      for (const asked of [() => directory.resolve(who), () => directory.resolveLive(who)])
        expect(refusal(asked)).toMatchObject({
          code: "recipient.elsewhere",
          message: expect.stringContaining("is on box"),
        });
    expect(directory.resolve("coder@desk")).toBe("agent/coder");
    expect(refusal(() => directory.sender({ user: "dev" }, "box:coder")).code).toBe("recipient.elsewhere");
  });
});

describe("without a cluster", () => {
  it("a host is unknown, and what to do is said; a person's name may look like one", async () => {
    const directory = await directoryBeside(undefined);
    for (const who of ["agent/coder@box", "box:coder", "coder@box"])
      expect(refusal(() => directory.resolve(who))).toMatchObject({
        code: "host.unknown",
        next: expect.stringContaining("bellhop cluster join"),
      });
    expect(directory.resolve("person/ada@lab")).toBe("person/ada@lab");
    expect(refusal(() => directory.resolve("nobody")).message).toBe('No agent or session matches "nobody".');
  });
});
