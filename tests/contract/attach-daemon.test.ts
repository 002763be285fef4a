import { describe, expect, it } from "vitest";
import { until } from "../rig/scripted-agent.ts";
import { type AttachStage, attachStageForEach } from "./attach-stage.ts";

let stage: AttachStage;
attachStageForEach((fresh) => {
  stage = fresh;
});

const QUIET = ["bash", "--norc", "-c", "echo ready; while :; do read; done"];
const sends = () => stage.daemon.asked.filter(({ type }) => type === "send");
const queued = (hold?: object) => ({
  message_id: "m",
  short_id: "a1b2c3",
  unmatched: false,
  deliveries: [{ id: "d", to: "session/0badcafe", state: "queued", ...(hold === undefined ? {} : { hold }) }],
});

describe("the daemon beside an attached person", () => {
  it("is watched: state, queue, the first hold and its release, live", async () => {
    await stage.host(QUIET);
    const person = stage.person({ cols: 110, rows: 24 });
    await person.sees("coder idle");
    const hold = { reason: "busy", since: 1, release: "when its turn ends" };
    const delivery = { id: "d", message_id: "m", short_id: "s", to: "a", from: "b", priority: "normal" };
    stage.daemon.show({
      readiness: "busy",
      deliveries: [{ ...delivery, state: "queued", queued_at: 1, preview: "x", hold }],
    });
    await person.sees("coder busy · 1 queued · busy: when its turn ends");
    stage.daemon.show({ readiness: "blocked", paused: true });
    await person.sees("coder blocked · paused · 1 queued");
    expect(stage.daemon.asked.find(({ type }) => type === "follow")).toMatchObject({ who: "0badcafe" });
  });

  it("tells that a draft stands there: a text is typed behind it only when Enter is pressed again", async () => {
    const host = await stage.host(QUIET);
    const person = stage.person();
    await person.sees("coder idle");
    stage.daemon.show({ readiness: "idle", composer: "draft" });
    await person.sees("coder idle · draft in its line");
    person.type("mine\r");
    await person.sees("A draft is there: Enter again adds to it, Tab queues.");
    await person.sees("normal ❯ mine");
    expect((await host.screen()).lines.map(({ text }) => text).join("")).not.toContain("mine");
    person.type("\r");
    await until(
      async () => (await host.screen()).lines.some(({ text }) => text.includes("mine")),
      () => person.text(),
    );
    stage.daemon.show({ readiness: "busy", composer: "empty" });
    await person.sees("coder busy");
    person.type("at once\r");
    await until(
      async () => (await host.screen()).lines.some(({ text }) => text.includes("at once")),
      () => person.text(),
    );
  });

  it("may not tell: then the status line says why, and tells again once it does", async () => {
    await stage.host(QUIET);
    stage.daemon.answers.follow = () => ({
      error: { code: "session.unknown", message: "No session matches 0badcafe.", next: "List them." },
    });
    const person = stage.person();
    await person.sees("coder daemon: No session matches 0badcafe.");
    stage.daemon.answers.follow = () => ({});
    await person.sees("coder idle");
  });

  it("takes a text of another priority than normal, from the person, and the bar says what became of it", async () => {
    const host = await stage.host(QUIET);
    stage.daemon.answers.send = () => queued({ reason: "busy", since: 1, release: "when its turn ends" });
    const person = stage.person();
    await person.sees("ready");
    person.type("stop that\t\t\t");
    await person.sees("interrupt ❯ stop that");
    person.type("\r");
    await person.sees("normal ❯ queued #a1b2c3 (busy: when its turn ends)");
    expect(sends()).toMatchObject([
      { to: "0badcafe", body: "stop that", priority: "interrupt", claims: { user: "dev" } },
    ]);
    for (const [tabs, priority] of [
      [1, "idle-first"],
      [2, "idle"],
    ] as const) {
      person.type(`more${"\t".repeat(tabs)}\r`);
      await until(
        () => sends().at(-1)?.priority === priority,
        () => JSON.stringify(sends()),
      );
    }
    await person.seesWhatTheHostSees(host);
  });

  it("may refuse it: the bar has the text back, and says why and what to do", async () => {
    await stage.host(QUIET);
    stage.daemon.answers.send = () => ({
      error: { code: "message.too_large", message: "That is too much.", next: "Say less." },
    });
    const person = stage.person();
    await person.sees("ready");
    person.type("too long\t\r");
    await person.sees("Not sent: That is too much. Say less.");
    await person.sees("idle-first ❯ too long");
  });

  it("may go away and come back: only the status line tells, and what is sent meanwhile gets there once", async () => {
    const host = await stage.host(QUIET);
    stage.daemon.answers.send = () => queued();
    const person = stage.person();
    await person.sees("coder idle");
    await stage.daemon.close();
    await person.sees("daemon away");
    person.type("straight in\r");
    await until(
      async () => (await host.screen()).lines.some(({ text }) => text.includes("straight in")),
      () => person.text(),
    );
    await person.seesWhatTheHostSees(host);
    person.type("for later\t\r");
    await person.sees("sending…");
    await stage.daemon.open();
    await person.sees("queued #a1b2c3");
    await person.sees("coder idle");
    expect(sends()).toHaveLength(1);
  });

  it("may stay away: the text comes back to the bar, and the same try is made again, not another one", async () => {
    await stage.host(QUIET);
    const person = stage.person();
    await person.sees("coder idle");
    await stage.daemon.close();
    person.type("important\t\r");
    await person.sees("Not sent: the daemon is away");
    await person.sees("idle-first ❯ important");
    await stage.daemon.open();
    // The first answer gets lost on its way.
    let answers = 0;
    stage.daemon.answers.send = () => {
      answers += 1;
      return answers === 1
        ? { error: { code: "daemon.stopping", message: "stopping", next: "again" } }
        : queued();
    };
    person.type("\r");
    await person.sees("queued #a1b2c3");
    expect(new Set(sends().map(({ idempotency_key }) => idempotency_key)).size).toBe(1);
    expect(sends()).toHaveLength(2);
  });

  it("announces on the status line for five seconds", async () => {
    const host = await stage.host(QUIET);
    const person = stage.person();
    await person.sees("coder idle");
    await host.announce("Your draft stands there again.");
    await person.sees("Your draft stands there again.");
    await until(
      () => !person.text().includes("Your draft"),
      () => person.text(),
    );
    await person.sees("coder idle");
  });
});
