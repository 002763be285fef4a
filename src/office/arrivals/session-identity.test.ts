import { describe, expect, it } from "vitest";
import { AN_IDENTITY, aSession } from "../../../tests/contract/store-samples.ts";
import { UNKNOWN_PROGRAM } from "../../core/session.ts";
import type { Sighting, TerminalIdentity } from "../../ports/terminal.ts";
import {
  factsOf,
  nameAfterFolder,
  newRecord,
  notSeen,
  recognise,
  resumedRecord,
  resumes,
  revived,
  sameIdentity,
  sameProcess,
} from "./session-identity.ts";

function sighted(told: Partial<Sighting> = {}): Sighting {
  return {
    identity: AN_IDENTITY,
    program: "claude",
    label: "work:1.0",
    title: "",
    folder: "/home/dev/api",
    agentArgv: ["claude"],
    ...told,
  };
}
const nobodyRuns = () => false;

describe("an identity", () => {
  const others: readonly Partial<TerminalIdentity>[] = [
    { kind: "pty" },
    { server: "/run/tmux/other" },
    { serverPid: 20 },
    { pane: "%4" },
    { panePid: 21 },
    { agentPid: 22 },
    { agentStartedAt: "201" },
  ];

  it.each(others)("is another's when only this differs: %o", (change) => {
    expect(sameIdentity(AN_IDENTITY, { ...AN_IDENTITY, ...change })).toBe(false);
  });

  it("is the same when all of it matches", () => {
    expect(sameIdentity(AN_IDENTITY, { ...AN_IDENTITY })).toBe(true);
  });

  it("is the same when an earlier release wrote the server's start down as tmux tells it", () => {
    expect(sameIdentity({ ...AN_IDENTITY, serverStartedAt: "1763268000" }, AN_IDENTITY)).toBe(true);
  });
});

describe("those that run", () => {
  const here = { identity: AN_IDENTITY, record: { program: "claude" } };
  const elsewhere = { ...here, identity: { ...AN_IDENTITY, server: "/run/tmux/other" } };

  it("are missed only at the server that was looked at", () => {
    const looked = { server: AN_IDENTITY.server, sightings: [] };
    expect(notSeen([here, elsewhere], looked)).toEqual([here]);
  });

  it("are not missed while they are seen", () => {
    expect(notSeen([here], { server: AN_IDENTITY.server, sightings: [sighted()] })).toEqual([]);
  });

  it("are known again, and reached anew where what was opened for them is not this server's", () => {
    expect(recognise(sighted(), [here], () => true)).toEqual({ kind: "running", session: here });
    expect(recognise(sighted(), [here], () => false)).toEqual({ kind: "reached-anew", session: here });
    expect(recognise(sighted(), [elsewhere], () => true)).toEqual({ kind: "arrived" });
  });

  it("are reached anew once it is known which program they are, and not when that is unclear again", () => {
    const early = { ...here, record: { program: UNKNOWN_PROGRAM } };
    expect(recognise(sighted(), [early], () => true)).toEqual({ kind: "reached-anew", session: early });
    const unclear = sighted({ program: UNKNOWN_PROGRAM });
    for (const session of [early, here])
      expect(recognise(unclear, [session], () => true)).toEqual({ kind: "running", session });
  });

  it("are one session in a hosted terminal, whoever comes to its front", () => {
    const shell = {
      identity: { ...AN_IDENTITY, kind: "pty" },
      record: { program: UNKNOWN_PROGRAM },
    } as const;
    const agent = sighted({ identity: { ...shell.identity, agentPid: 99, agentStartedAt: "99" } });
    expect(recognise(agent, [shell], () => true)).toEqual({ kind: "reached-anew", session: shell });
    const inTmux = sighted({ identity: { ...AN_IDENTITY, agentPid: 99 } });
    expect(recognise(inTmux, [here], () => true)).toEqual({ kind: "arrived" });
    const other = { ...shell, identity: { ...shell.identity, pane: "another" } };
    expect(recognise(agent, [other], () => true)).toEqual({ kind: "arrived" });
  });
});

describe("a program that arrives", () => {
  it("is the session whose very process it is", () => {
    const before = aSession("08bc57cf", { identity: AN_IDENTITY });
    expect(sameProcess(sighted(), [aSession("00000001"), before])).toBe(before);
    expect(sameProcess(sighted({ identity: { ...AN_IDENTITY, agentPid: 99 } }), [before])).toBeUndefined();
  });

  it("goes on with whom the best proof names", () => {
    const [told, noted] = [aSession("00000001"), aSession("00000002")];
    expect(resumes([told, noted], nobodyRuns)).toEqual({ kind: "resumed", session: told });
    expect(resumes([undefined, noted], nobodyRuns)).toEqual({ kind: "resumed", session: noted });
  });

  it("does not go on with one that still runs", () => {
    const [told, noted] = [aSession("00000001"), aSession("00000002")];
    expect(resumes([told, noted], (id) => id === told.id)).toEqual({ kind: "resumed", session: noted });
    expect(resumes([told], () => true)).toEqual({ kind: "new" });
  });

  it("is new without proof", () => {
    expect(resumes([undefined, undefined], nobodyRuns)).toEqual({ kind: "new" });
  });
});

describe("what is written down of it", () => {
  it("is not the release that ran it before, where another process goes on: it may have updated itself", () => {
    const before = aSession("08bc57cf", { version: "2.1.325" });
    expect(revived(before, sighted())).toHaveProperty("version", "2.1.325");
    expect(resumedRecord(before, sighted(), 20)).not.toHaveProperty("version");
  });

  const ended = aSession("08bc57cf", { hooked: true, startedAt: 5, exitedAt: 9, label: "old:0.0" });

  it("is what was known, at its place of now, and no longer ended", () => {
    const record = revived(ended, sighted({ label: "new:0.0\u001b[31m" }));
    expect(record).toMatchObject({ id: "08bc57cf", hooked: true, startedAt: 5, label: "new:0.0" });
    expect(record).not.toHaveProperty("exitedAt");
  });

  it("starts again, with hooks to be proven, where another process goes on with it", () => {
    expect(resumedRecord(ended, sighted(), 20)).toMatchObject({
      id: "08bc57cf",
      startedAt: 20,
      hooked: false,
    });
  });

  it("is all new for one that nobody knows, without a folder where none is seen", () => {
    const record = newRecord(sighted({ folder: undefined }), { id: "00000001", agent: "api", now: 20 });
    expect(record).toMatchObject({ id: "00000001", agent: "api", main: true, startedAt: 20 });
    expect(record).not.toHaveProperty("folder");
  });

  it("keeps a secret of the program among the facts only, and its state and keys out of them", () => {
    const entry = { inboxToken: "s3cret", status: { is: "idle", at: 1 }, editing: "vim" } as const;
    const facts = factsOf(aSession("00000001", { programSessionId: "p-1" }), sighted(), entry);
    expect(facts).toEqual({
      sessionId: "00000001",
      agentPid: AN_IDENTITY.agentPid,
      folder: "/home/dev/api",
      programSessionId: "p-1",
      inboxToken: "s3cret",
    });
  });
});

describe("the name of a new agent", () => {
  it.each([
    ["/home/dev/My App/", "my-app"],
    ["/", "agent"],
    [undefined, "agent"],
  ])("of %s is %s", (folder, name) => {
    expect(nameAfterFolder(folder)).toBe(name);
  });
});
