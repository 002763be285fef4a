/** The endpoints on the built daemon, with agents in a real tmux. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { HttpDaemon } from "./http-daemon.ts";
import { askHttp } from "./http-harness.ts";

let tmux: TmuxServer;
let bellhop: Bellhop;
let http: HttpDaemon;
let coder: ScriptedAgent;
let id: string;

beforeAll(async () => {
  tmux = startTmuxServer();
  bellhop = new Bellhop({
    config: `tmux: { servers: ["${tmux.socket}"] }\n${SCRIPTED_PROFILE}`,
    env: { TMUX_TMPDIR: tmux.folder, BELLHOP_RIG_TMUX: tmux.socket },
  });
  await bellhop.start();
  http = await HttpDaemon.of(bellhop);
  coder = await startScriptedAgent({ tmux, name: "coder" });
  await idle();
  id = (await http.get("/sessions")).body.sessions[0].id;
});
afterAll(async () => {
  http.close();
  await bellhop.dispose();
  await tmux.kill();
});

async function idle(): Promise<void> {
  const ready = async () => (await http.get("/sessions")).body.sessions[0]?.readiness === "idle";
  await until(ready, "the agent to be idle");
}
const stateOf = async (message: string): Promise<string> =>
  (await http.get(`/messages/${message}`)).body.deliveries[0].state;

describe("HTTP on the daemon", () => {
  it("holds a message while its agent is busy, shows it, and delivers it when the turn ends", async () => {
    await idle();
    const first = await http.post(`/sessions/${id}/send`, {
      text: "[[busy 60]]",
      delivery_mode: "important",
    });
    await until(async () => coder.prompts().length === 1, "the first prompt");
    const second = await http.post("/sessions/coder/send", { text: "after that", timeout_seconds: 600 });
    expect(second.body).toMatchObject({
      status: "queued",
      queue_position: 1,
      delivery_mode: "sequential",
      estimated_delivery: "waiting_for_idle",
      hold: { reason: "busy" },
    });
    const third = await http.post("/sessions/coder/send", { text: "and then", sender_session_id: id });
    expect(third.body).toMatchObject({ queue_position: 2, estimated_delivery: "waiting_for_idle" });
    const queue = await http.get(`/sessions/${id}/send-queue`);
    expect(queue.body).toMatchObject({
      session_id: id,
      is_idle: false,
      pending_count: 2,
      saved_user_input: null,
    });
    expect(queue.body.pending_messages).toMatchObject([
      { id: second.body.message_id, delivery_mode: "sequential", timeout_at: expect.stringMatching(/Z$/) },
      { id: third.body.message_id, sender: "coder", timeout_at: null },
    ]);
    const explained = await http.get(`/messages/${second.body.short_id}/explain`);
    expect(explained.body.deliveries[0].because.join(" ")).toContain("busy");

    const urgent = await http.post(`/sessions/${id}/send`, { text: "STOP", delivery_mode: "urgent" });
    expect(urgent.body).toMatchObject({ status: "delivered", delivery_mode: "urgent", interrupted: true });
    expect(coder.log().some(({ escaped }) => escaped === "busy")).toBe(true);
    for (const { body } of [first, second, third]) {
      await until(async () => ["delivered", "read"].includes(await stateOf(body.message_id)), "delivery");
    }
    const { entries } = (await http.get(`/sessions/${id}/history?limit=3`)).body;
    expect(entries.length).toBe(3);
    expect(entries[0].message.id).toBe(urgent.body.message_id);
    const later = entries[0].delivery.queued_at + 1;
    expect((await http.get(`/sessions/${id}/history?from_time=${later}`)).body.entries).toEqual([]);
  });

  it("drops what nobody took in time", async () => {
    await bellhop.json(["agent", "add", "later"]);
    const sent = await http.post("/sessions/later/send", { text: "soon or never", timeout_seconds: 0.05 });
    expect(sent.body).toMatchObject({
      estimated_delivery: expect.stringMatching(/^(held_offline|expired)$/),
    });
    await until(async () => (await stateOf(sent.body.message_id)) === "expired", "the timeout");
    expect((await http.get("/sessions/later/send-queue")).body).toMatchObject({
      session_id: "later",
      is_idle: false,
      pending_count: 0,
    });
  });

  it("reminds, lists and cancels", async () => {
    await idle();
    const before = Date.now();
    const far = await http.post("/scheduler/remind", {
      session_id: id,
      delay_seconds: 60 * 86_400,
      message: "x",
    });
    expect(Date.parse(far.body.fire_at)).toBeGreaterThanOrEqual(before + 60 * 86_400_000);
    expect(far.body.session_id).toBe(id);
    const soon = await http.post("/scheduler/remind", {
      session_id: id,
      delay_seconds: 0.05,
      message: "look again",
    });
    expect(soon.body.status).toBe("scheduled");
    const came = async () => {
      const { entries } = (await http.get("/sessions/coder/history?limit=1")).body;
      return entries[0].message.body === "[bellhop] Scheduled reminder:\nlook again";
    };
    await until(came, "the reminder");
    const { reminders } = (await http.get("/scheduler/reminders")).body;
    expect(reminders.map((each: { id: string }) => each.id)).toEqual([far.body.reminder_id]);
    const path = `/scheduler/reminders/${far.body.reminder_id}`;
    expect((await http.ask("DELETE", path)).body).toMatchObject({ id: far.body.reminder_id });
    expect(await http.ask("DELETE", path)).toMatchObject({
      status: 404,
      body: { error: { code: "reminder.unknown" } },
    });
    for (const when of [
      {},
      { delay_seconds: 1, cron: "* * * * *" },
      { at: "2020-01-01T00:00:00Z" },
      { cron: "never" },
    ]) {
      const refused = await http.post("/scheduler/remind", { session_id: id, message: "x", ...when });
      expect(refused).toMatchObject({ status: 400, body: { error: { code: "reminder.invalid" } } });
    }
  });

  it("stores a message once, however often it is sent", async () => {
    const key = { "idempotency-key": "deploy-42" };
    const once = await http.post("/sessions/later/send", { text: "deploy" }, key);
    const again = await http.post("/sessions/later/send", { text: "deploy", idempotency_key: "deploy-42" });
    expect(again.body).toEqual(once.body);
    const other = await http.post("/sessions/later/send", { text: "deploy twice" }, key);
    expect(other).toMatchObject({ status: 409, body: { error: { code: "message.conflict" } } });
    expect((await http.get("/sessions/later/send-queue")).body.pending_count).toBe(1);
  });

  it("does not know strangers, and does not choose between two", async () => {
    for (const who of [
      "nobody",
      "agent%2Fnobody",
      "session%2F00000000",
      "team%2Fx",
      "person%2Fdev",
      "agent%2F*",
    ]) {
      const answer = await http.post(`/sessions/${who}/send`, { text: "x" });
      expect([who, answer.status]).toEqual([who, 404]);
      expect((await http.get(`/sessions/${who}/send-queue`)).status).toBe(404);
    }
    expect((await http.post("/sessions/later/send", { text: "x", sender_session_id: "nobody" })).status).toBe(
      404,
    );
    expect((await http.get("/messages/nothing")).status).toBe(404);
    await bellhop.json(["agent", "add", "web-api"]);
    await bellhop.json(["agent", "add", "web_api"]);
    const answer = await http.post("/sessions/Web%20API/send", { text: "x" });
    expect(answer.status).toBe(409);
    expect(answer.body.error.candidates).toEqual(["agent/web-api", "agent/web_api"]);
  });

  it("serves the same on the socket of its home, without a token", async () => {
    const answer = await askHttp({ socketPath: `${bellhop.home}/run/http.sock` }, { path: "/status" });
    expect(JSON.parse(answer.text)).toMatchObject({ running: true, http: { port: http.port } });
  });
});
