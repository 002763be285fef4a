/** The endpoints on the built daemon, with agents in a real tmux. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  errorAnswer,
  explainAnswer,
  historyAnswer,
  messageAnswer,
  remindAnswer,
  remindersAnswer,
  sendQueueAnswer,
  sentAnswer,
  sessionsAnswer,
  urgentAnswer,
} from "../../src/wire/http/answers.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { bodyOf, type DaemonAnswer, HttpDaemon } from "./http-daemon.ts";
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
  id = (await sessions())[0]?.id ?? "nobody";
});
afterAll(async () => {
  http.close();
  await bellhop.dispose();
  await tmux.kill();
});

const sessions = async () => (await http.read("/sessions", sessionsAnswer)).sessions;
async function idle(): Promise<void> {
  const ready = async () => (await sessions())[0]?.readiness === "idle";
  await until(ready, "the agent to be idle");
}
const stateOf = async (message: string): Promise<string | undefined> =>
  (await http.read(`/messages/${message}`, messageAnswer)).deliveries[0]?.state;

const sent = (answer: DaemonAnswer) => bodyOf(answer, sentAnswer);

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
    expect(bodyOf(queue, sendQueueAnswer).pending_messages).toMatchObject([
      { id: sent(second).message_id, delivery_mode: "sequential", timeout_at: expect.stringMatching(/Z$/) },
      { id: sent(third).message_id, sender: "coder", timeout_at: null },
    ]);
    const explained = await http.read(`/messages/${sent(second).short_id}/explain`, explainAnswer);
    expect(explained.deliveries[0]?.because.join(" ")).toContain("busy");

    const urgent = await http.post(`/sessions/${id}/send`, { text: "STOP", delivery_mode: "urgent" });
    expect(urgent.body).toMatchObject({ status: "delivered", delivery_mode: "urgent", interrupted: true });
    expect(coder.log().some(({ escaped }) => escaped === "busy")).toBe(true);
    for (const answer of [first, second, third]) {
      const taken = async () => /^(delivered|read)$/.test((await stateOf(sent(answer).message_id)) ?? "");
      await until(taken, "delivery");
    }
    const history = async (window: string) =>
      (await http.read(`/sessions/${id}/history?${window}`, historyAnswer)).entries;
    const entries = await history("limit=3");
    expect(entries.length).toBe(3);
    const [newest] = entries;
    expect(newest?.message.id).toBe(bodyOf(urgent, urgentAnswer).message_id);
    expect(await history(`from_time=${(newest?.delivery.queued_at ?? 0) + 1}`)).toEqual([]);
  });

  it("drops what nobody took in time", async () => {
    await bellhop.json(["agent", "add", "later"]);
    const dropped = await http.post("/sessions/later/send", { text: "soon or never", timeout_seconds: 0.05 });
    expect(dropped.body).toMatchObject({
      estimated_delivery: expect.stringMatching(/^(held_offline|expired)$/),
    });
    await until(async () => (await stateOf(sent(dropped).message_id)) === "expired", "the timeout");
    expect((await http.get("/sessions/later/send-queue")).body).toMatchObject({
      session_id: "later",
      is_idle: false,
      pending_count: 0,
    });
  });

  it("reminds, lists and cancels", async () => {
    await idle();
    const before = Date.now();
    const remind = async (delay_seconds: number, message: string) =>
      bodyOf(await http.post("/scheduler/remind", { session_id: id, delay_seconds, message }), remindAnswer);
    const far = await remind(60 * 86_400, "x");
    expect(Date.parse(far.fire_at)).toBeGreaterThanOrEqual(before + 60 * 86_400_000);
    expect(far.session_id).toBe(id);
    const soon = await remind(0.05, "look again");
    expect(soon.status).toBe("scheduled");
    const came = async () => {
      const { entries } = await http.read("/sessions/coder/history?limit=1", historyAnswer);
      return entries[0]?.message.body === "[bellhop] Scheduled reminder:\nlook again";
    };
    await until(came, "the reminder");
    const { reminders } = await http.read("/scheduler/reminders", remindersAnswer);
    expect(reminders.map((each) => each.id)).toEqual([far.reminder_id]);
    const path = `/scheduler/reminders/${far.reminder_id}`;
    expect((await http.ask("DELETE", path)).body).toMatchObject({ id: far.reminder_id });
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
    expect((await http.read("/sessions/later/send-queue", sendQueueAnswer)).pending_count).toBe(1);
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
    expect(bodyOf(answer, errorAnswer).error.candidates).toEqual(["agent/web-api", "agent/web_api"]);
  });

  it("serves the same on the socket of its home, without a token", async () => {
    const answer = await askHttp({ socketPath: `${bellhop.home}/run/http.sock` }, { path: "/status" });
    expect(JSON.parse(answer.text)).toMatchObject({ running: true, http: { port: http.port } });
  });
});
