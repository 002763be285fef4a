import { describe, expect, it } from "vitest";
import { type Desk, oneAgent, openDesk } from "../../../tests/desk/desk.ts";
import { UNKNOWN_PROGRAM } from "../../core/session.ts";

async function listed(desk: Desk) {
  return (await desk.done(desk.use.ls({}))).sessions;
}

describe("a program that is found", () => {
  it("becomes an agent with the slug of its folder, and a number on a clash", async () => {
    const desk = await openDesk();
    for (const folder of ["My App", "my-app", "my-app"]) desk.agent(folder);
    await desk.ready();
    expect((await listed(desk)).map(({ agent }) => agent)).toEqual(["my-app", "my-app-2", "my-app-3"]);
  });

  it("keeps its session over a restart of the daemon", async () => {
    const { desk, session: id } = await oneAgent();
    await desk.open();
    expect(await listed(desk)).toMatchObject([{ id, agent: "coder" }]);
  });

  it("is another session when anything of its identity differs and it is in another folder", async () => {
    const { desk, coder, session: id } = await oneAgent();
    desk.ends(coder);
    desk.agent("elsewhere", { inPlaceOf: coder });
    await desk.open();
    const sessions = await listed(desk);
    expect(sessions).toMatchObject([{ agent: "elsewhere" }]);
    expect(sessions[0]?.id).not.toBe(id);
  });

  it("is what hooks had said of it before the restart", async () => {
    const { desk, coder } = await oneAgent();
    await desk.hooked(coder);
    await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt: "work" }));
    await desk.open();
    await desk.advance(3_000);
    expect(await listed(desk)).toMatchObject([{ readiness: "busy" }]);
  });

  it("is left out when no profile knows it", async () => {
    const desk = await openDesk();
    desk.agent("coder", { program: "no-such-program" as "plain" });
    await desk.ready();
    expect(await listed(desk)).toEqual([]);
  });

  it("is read as what it is once that is known: it may be seen before its process runs it", async () => {
    const desk = await openDesk();
    const coder = desk.agent("coder");
    const { program } = coder.sighting;
    Object.assign(coder.sighting, { program: UNKNOWN_PROGRAM });
    await desk.ready();
    const [early] = await listed(desk);
    expect(early).toMatchObject({ readiness: "unknown" });
    Object.assign(coder.sighting, { program });
    await listed(desk);
    await desk.advance(3_000);
    expect(await listed(desk)).toMatchObject([{ id: early?.id, agent: "coder", readiness: "idle" }]);
  });

  it("shows a label and a title that changed, without control characters", async () => {
    const { desk, coder } = await oneAgent();
    Object.assign(coder.sighting, { label: "other:2.1\u001b[31m", title: "Fix\u0007 it" });
    expect(await listed(desk)).toMatchObject([{ label: "other:2.1", headline: "Fix it" }]);
  });
});

describe("the branch of a folder", () => {
  it("is looked up once in a scan, however many run there, and again in the next", async () => {
    const desk = await openDesk();
    for (const name of ["api", "api", "web"]) desk.agent(name);
    await desk.ready();
    const asked: string[] = [];
    desk.branchOf = (folder) => {
      asked.push(folder);
      return asked.length > 2 ? "later" : `of-${folder.split("/").at(-1)}`;
    };
    await desk.done(desk.office.scan());
    expect(asked).toEqual(["/home/dev/api", "/home/dev/web"]);
    const branches = () => desk.store.read.sessions().map(({ branch }) => branch);
    expect(branches()).toEqual(["of-api", "of-api", "of-web"]);
    await desk.done(desk.office.scan());
    expect(branches()).toEqual(["later", "later", "later"]);
  });
});

describe("one who cannot be looked at", () => {
  const fails = (): never => {
    throw new TypeError("no cursor");
  };

  it.each(["found before", "found now"])("is unknown, and nobody else is missed: %s", async (when) => {
    const desk = await openDesk();
    const broken = desk.agent("broken");
    if (when === "found before") await desk.ready();
    broken.program.terminal.read = async () => fails();
    desk.agent("fresh");
    if (when === "found now") await desk.open();
    await listed(desk);
    await desk.advance(3_000);
    expect(await listed(desk)).toMatchObject([
      { agent: "broken", readiness: "unknown" },
      { agent: "fresh", readiness: "idle" },
    ]);
    const { sessions } = await desk.done(desk.use.diagnose({}));
    expect(sessions[0]?.closed).toContainEqual({
      transport: "paste",
      why: expect.stringContaining("no cursor"),
    });
  });

  it("keeps nobody else from being found, and is said in the log", async () => {
    const desk = await openDesk();
    Object.defineProperty(desk.agent("broken"), "registry", { get: fails });
    desk.agent("fresh");
    await desk.ready();
    expect((await listed(desk)).map(({ agent }) => agent)).toEqual(["fresh"]);
    expect(new Set(desk.failures.splice(0))).toEqual(new Set(["session.not_met"]));
  });
});

describe("a program that goes on in a new process", () => {
  it("is the same session by BELLHOP_SESSION_ID", async () => {
    const { desk, coder, session: id } = await oneAgent();
    desk.ends(coder);
    await desk.done(desk.office.scan());
    const waiting = await desk.send("coder", "hello");
    expect(desk.delivery(waiting).hold).toMatchObject({ reason: "offline" });
    const again = desk.agent("elsewhere", { environment: { BELLHOP_SESSION_ID: id } });
    await desk.done(desk.office.scan());
    expect(await listed(desk)).toMatchObject([{ id, agent: "coder" }]);
    await desk.advance(5_000);
    expect(desk.state(waiting)).toBe("delivered");
    expect(again.program.submitted).toHaveLength(1);
  });

  it("is the same session also when both changes are seen at once", async () => {
    const { desk, coder, session: id } = await oneAgent();
    desk.ends(coder);
    desk.agent("coder", { environment: { BELLHOP_SESSION_ID: id } });
    await desk.done(desk.office.scan());
    expect(await listed(desk)).toMatchObject([{ id, agent: "coder" }]);
  });

  it("is another session while the first still runs, whatever it inherited", async () => {
    const { desk, session: id } = await oneAgent();
    desk.agent("child", { environment: { BELLHOP_SESSION_ID: id } });
    await desk.done(desk.office.scan());
    expect((await listed(desk)).map(({ agent }) => agent)).toEqual(["coder", "child"]);
  });

  it("is the same session by the program's own session id", async () => {
    const desk = await openDesk();
    const first = desk.agent("coder", { registry: { programSessionId: "conversation" } });
    await desk.ready();
    const id = desk.sessionOf(first);
    desk.ends(first);
    await desk.done(desk.office.scan());
    desk.agent("elsewhere", { registry: { programSessionId: "conversation" } });
    await desk.done(desk.office.scan());
    expect(await listed(desk)).toMatchObject([{ id, agent: "coder" }]);
  });

  it("takes over its agent when a hook names the conversation later, with the mail of both addresses", async () => {
    const { desk, coder, session: id } = await oneAgent();
    await desk.done(desk.hook(coder, { turn: "session-start", programSessionId: "conversation" }));
    desk.ends(coder);
    await desk.done(desk.office.scan());
    const toAgent = await desk.send("coder", "to the agent");
    const toSession = await desk.send(id, "to the session");
    const again = desk.agent("elsewhere");
    await desk.done(desk.office.scan());
    expect(await listed(desk)).toMatchObject([{ agent: "elsewhere" }]);
    await desk.done(desk.hook(again, { turn: "session-start", programSessionId: "conversation" }));
    expect(await listed(desk)).toMatchObject([{ agent: "coder" }]);
    expect(desk.store.read.agent("elsewhere")).toBeUndefined();
    await desk.advance(20_000);
    expect([desk.state(toAgent), desk.state(toSession)]).toEqual(["delivered", "delivered"]);
  });

  it("gets a message that was in hand when it ended again, marked as a possible duplicate", async () => {
    const { desk, coder, session: id } = await oneAgent();
    coder.program.echoes = "no";
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    expect(desk.state(sent)).toBe("delivering");
    desk.ends(coder);
    const again = desk.agent("coder", { environment: { BELLHOP_SESSION_ID: id } });
    await desk.done(desk.office.scan());
    await desk.advance(60_000);
    expect(desk.sessionOf(again)).toBe(id);
    expect(again.program.submitted).toEqual([expect.stringContaining("(possible duplicate) hello")]);
    expect(desk.delivery(sent)).toMatchObject({ possibleDuplicate: true });
  });
});

describe("a program that is gone", () => {
  it("leaves its mail waiting as offline", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    desk.ends(coder);
    await desk.done(desk.office.scan());
    expect(await listed(desk)).toEqual([]);
    const release =
      "when plain is started again in /home/dev/coder (or another agent takes over its mailbox: bellhop name AGENT coder)";
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "offline", release } });
    const later = await desk.send("coder", "again");
    expect(later.deliveries).toMatchObject([{ hold: { reason: "offline", release } }]);
  });

  it("stays gone when its last delivery is recorded later", async () => {
    const { desk, coder, session: id } = await oneAgent();
    desk.disk.refuses = "delivered";
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    desk.ends(coder);
    await desk.done(desk.office.scan());
    desk.disk.refuses = undefined;
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(desk.store.read.session(id)?.exitedAt).toBeDefined();
    desk.expectFailures("courier.record_failed", "courier.stop_failed", "courier.round_failed");
  });

  it("is not gone because a scan got no answer", async () => {
    const { desk, coder } = await oneAgent();
    desk.scan = "unknown";
    coder.process = "gone";
    await desk.done(desk.office.scan());
    expect(await listed(desk)).toHaveLength(1);
    expect((await desk.use.diagnose({})).servers[0]?.state).toContain("unknown");
  });

  it("is not gone while its process lives, though no terminal shows it", async () => {
    const { desk } = await oneAgent();
    desk.scan = "absent";
    await desk.done(desk.office.scan());
    expect(await listed(desk)).toHaveLength(1);
  });

  it("is gone with its terminal, though its process goes on: its name and its mail are free for the next", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.terminal.end();
    desk.agents.splice(desk.agents.indexOf(coder), 1);
    desk.lingering.push(coder);
    await desk.done(desk.office.scan());
    expect(await listed(desk)).toEqual([]);
    desk.agent("coder");
    await desk.done(desk.office.scan());
    expect((await listed(desk)).map(({ agent }) => agent)).toEqual(["coder"]);
  });

  it("is gone with whoever had its terminal, though its process lingers", async () => {
    const { desk } = await oneAgent();
    desk.scan = "absent";
    desk.serverProcess = "unknown";
    await desk.done(desk.office.scan());
    expect(await listed(desk)).toHaveLength(1);
    desk.serverProcess = "gone";
    await desk.done(desk.office.scan());
    expect(await listed(desk)).toEqual([]);
  });

  it("is gone when its server is and its process too", async () => {
    const { desk, coder } = await oneAgent();
    desk.scan = "absent";
    coder.process = "gone";
    await desk.done(desk.office.scan());
    expect(await listed(desk)).toEqual([]);
  });

  it("is noticed by a daemon that was not there when it ended", async () => {
    const { desk, coder, session: id } = await oneAgent();
    desk.crash();
    desk.ends(coder);
    await desk.open();
    expect(desk.store.read.session(id)?.exitedAt).toBeDefined();
    expect((await desk.send("coder", "hello")).deliveries).toMatchObject([{ hold: { reason: "offline" } }]);
  });
});
