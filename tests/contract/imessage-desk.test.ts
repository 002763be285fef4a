/** A person answers agents in real tmux in their chat with themselves, through the daemon as it is built. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Written } from "../../src/bridges/imessage/rehearsal/rows.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { Messages } from "../rig/imessage/messages.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

const OWNER = "+15551234567";
const PATH = `imessage/${OWNER}`;

let messages: Messages;
let tmux: TmuxServer;
let bellhop: Bellhop;
let agents: readonly ScriptedAgent[];

/** What Bellhop said, in its order. */
const heard = async () => (await messages.scripts()).map(({ args }) => args[2] ?? "");

async function hears(text: RegExp): Promise<void> {
  await until(
    async () => (await heard()).some((one) => text.test(one)),
    () => `${String(text)} on the phone`,
  );
}

/** Sent and received: as everything in a chat with oneself, it is there twice. */
async function says(text: string, more: Partial<Written> = {}): Promise<void> {
  await messages.writes({ text, from: OWNER, isFromMe: true, ...more });
  await messages.writes({ text, from: OWNER, ...more });
}

const prompts = (index: number, part: string) =>
  agents[index]?.prompts().filter((prompt) => prompt.includes(part)) ?? [];

beforeAll(async () => {
  messages = await Messages.start();
  await messages.behaves({ isSelf: true });
  await says("[api] from before Bellhop was there");
  tmux = startTmuxServer();
  bellhop = new Bellhop({
    config: `${SCRIPTED_PROFILE}
tmux: { servers: ["${tmux.socket}"] }
person: { channels: ["${PATH}"] }
bridges:
  imessage:
    handles: ["+1 555 123 4567"]
    chat_db: ${messages.chatDb}
    osascript: ${messages.bin}/osascript
    poll: 1
`,
  });
  agents = await Promise.all(["api", "web", "docs"].map((name) => startScriptedAgent({ tmux, name })));
  await bellhop.start();
  const client = await bellhop.client();
  const areIdle = async () => {
    const { sessions } = await client.call("ls", {});
    return sessions.filter(({ readiness }) => readiness === "idle").length === 3;
  };
  await until(areIdle, "three idle agents");
  const isOpen = async () => (await client.call("bridges", {})).bridges[0]?.state === "up";
  await until(isOpen, "the bridge's first look");
});

afterAll(async () => {
  await bellhop.dispose();
  await tmux.kill();
  await messages.close();
});

describe("a person in their chat with themselves", () => {
  it("reaches the right one of three agents once, and hears once when it was delivered", async () => {
    await says("[web] How is the build?");
    await hears(/^✓ Delivered to \[/u);
    await says("[nobody] hello");
    await hears(/nobody/u);
    expect(agents.map((agent) => agent.prompts().length)).toEqual([0, 1, 0]);
    expect(agents[1]?.prompts()[0]).toContain("📱 How is the build?");
    expect((await heard()).filter((text) => text.startsWith("✓"))).toHaveLength(1);
  });

  it("gets what an agent says, and answers that agent by answering its message, whichever of the two", async () => {
    await bellhop.json(["send", PATH, "Which colour?", "--from", "docs", "--wait", "delivered"]);
    await hears(/Which colour\?$/u);
    const bySide = (side: number) =>
      messages.query<{ readonly guid: string }>(
        `SELECT guid FROM message WHERE is_from_me = ${side} ORDER BY ROWID DESC LIMIT 1`,
      );
    const [[sent], [received]] = await Promise.all([bySide(1), bySide(0)]);
    await says("blue", { answers: sent?.guid ?? "" });
    await until(() => prompts(2, "📱 blue").length > 0, "an answer to what was sent");
    await says("or green", { answers: received?.guid ?? "" });
    await until(() => prompts(2, "📱 or green").length > 0, "an answer to what was received");
  });

  it("is not heard through strangers, groups or SMS", async () => {
    await messages.writes({ text: "[api] rm -rf / strange", from: "+4930123456" });
    await messages.writes({ text: "[api] rm -rf / group", from: OWNER, group: "chat42" });
    await messages.writes({ text: "[api] rm -rf / forged", from: OWNER, service: "SMS" });
    await says("[api] mine");
    await until(() => prompts(0, "mine").length > 0, "the person's own");
    expect(prompts(0, "rm -rf")).toEqual([]);
  });

  it("is heard after the daemon was killed, once, in order", async () => {
    await bellhop.stop("SIGKILL");
    await says("[api] first while you were away");
    await says("[api] second while you were away");
    await bellhop.start();
    await until(() => prompts(0, "second while").length > 0, "what was said meanwhile");
    expect(
      agents[0]
        ?.prompts()
        .join("\n")
        .match(/(first|second) while/gu),
    ).toEqual(["first while", "second while"]);
    expect(prompts(0, "from before")).toEqual([]);
  });
});
