/** A platform is away for a while, is busy, or says no: what the built daemon makes of it. */
import { describe, expect, it } from "vitest";
import { tooManyRequests } from "../../src/bridges/telegram/rehearsal/refusal.ts";
import type { Client } from "../../src/client/connect.ts";
import type { Bellhop } from "../rig/bellhop.ts";
import { until } from "../rig/scripted-agent.ts";
import {
  email,
  imessage,
  SPEAKING_CHANNELS,
  type SpeakingChannel,
  slack,
  telegram,
} from "./bridges/channels.ts";
import { arrivals, bellhopOn } from "./bridges/outside-stage.ts";

const claims = { user: "dev" };
const NUMBERS = ["one", "two", "three"];

interface Scene<Kind> {
  readonly channel: Kind;
  readonly bellhop: Bellhop;
  readonly client: Client;
}

async function inScene<Kind extends SpeakingChannel>(
  open: () => Promise<Kind>,
  body: (scene: Scene<Kind>) => Promise<void>,
): Promise<void> {
  const channel = await open();
  const bellhop = bellhopOn(channel, "tmux: { servers: [] }");
  // The tmux server of whoever runs the tests is left alone.
  bellhop.env.TMUX_TMPDIR = bellhop.home;
  try {
    await bellhop.start();
    const client = await bellhop.client();
    await becomes(client, "up");
    await body({ channel, bellhop, client });
  } finally {
    await bellhop.dispose();
    await channel.close();
  }
}

async function becomes(client: Client, state: string): Promise<void> {
  const now = async () => (await client.call("bridges", {})).bridges[0]?.state;
  await until(async () => (await now()) === state, `a bridge that is ${state}`);
}

const send = async ({ client, channel }: Scene<SpeakingChannel>, body: string): Promise<string> =>
  (await client.call("send", { to: channel.path, body, claims })).messageId;

const deliveryOf = async (client: Client, id: string) =>
  (await client.call("show", { id })).deliveries.find(({ to }) => to.startsWith("bridge/"));

async function isDelivered({ client, channel }: Scene<SpeakingChannel>, id: string): Promise<void> {
  const state = async () => (await deliveryOf(client, id))?.state;
  await until(
    async () => (await state()) === "delivered",
    () => `${id} in ${channel.path}`,
  );
}

/** While the platform cannot be reached; where that is possible. */
async function saysMeanwhile(channel: SpeakingChannel, text: string): Promise<boolean> {
  switch (channel.name) {
    case "imessage":
      return false;
    case "email":
      (channel as Awaited<ReturnType<typeof email>>).stage.puts([`Message-ID: <${text}@x>`, "", text]);
      return true;
    default:
      await channel.says(text);
      return true;
  }
}

describe.concurrent("a platform that is away for a while", () => {
  it.each(Object.entries(SPEAKING_CHANNELS))("%s: is caught up with in order, both ways", (_, open) =>
    inScene<SpeakingChannel>(open, async (scene) => {
      const { channel, client, bellhop } = scene;
      await channel.outage(true);
      await becomes(client, "down");
      const sent: string[] = [];
      for (const number of NUMBERS) sent.push(await send(scene, `message ${number}`));
      const first = async () => deliveryOf(client, sent[0] ?? "");
      await until(async () => (await first())?.hold?.reason === "offline", "a hold");
      expect((await first())?.state).toBe("queued");
      const meanwhile: string[] = [];
      for (const number of NUMBERS)
        if (await saysMeanwhile(channel, `meanwhile ${number}`)) meanwhile.push(`meanwhile ${number}`);
      await channel.outage(false);
      for (const id of sent) await isDelivered(scene, id);
      await channel.says("and after");
      await until(async () => (await arrivals(bellhop)).includes("and after"), "what was said after");
      expect(await arrivals(bellhop)).toEqual([...meanwhile, "and after"]);
      const heard = (await channel.heard()).filter((text) => text.startsWith("message "));
      expect(heard).toEqual(NUMBERS.map((number) => `message ${number}`));
    }),
  );
});

describe.concurrent("a platform that says no", () => {
  it.each(Object.entries(SPEAKING_CHANNELS))("%s: is quoted, and the next message goes out", (_, open) =>
    inScene<SpeakingChannel>(open, async (scene) => {
      const { channel, client } = scene;
      await channel.refuse("chat not found");
      const refused = await send(scene, "to nobody");
      await until(async () => (await deliveryOf(client, refused))?.state === "failed", "a failure");
      const receipts = (await deliveryOf(client, refused))?.receipts ?? [];
      expect(receipts.at(-1)?.note).toMatch(new RegExp(`^${channel.name} refused it: .*chat not found`, "u"));
      await isDelivered(scene, await send(scene, "to somebody"));
      expect(await channel.heard()).toContain("to somebody");
    }),
  );
});

describe.concurrent("a platform that is busy", () => {
  it("telegram: gets the pause that it asks for, then each message once", () =>
    inScene(telegram, async (scene) => {
      const { telegram: platform } = scene.channel.stage;
      platform.plan("sendMessage", tooManyRequests(2));
      const first = await send(scene, "message one");
      await until(() => platform.calls.some(({ method }) => method === "sendMessage"), "a first try");
      const asked = performance.now();
      const second = await send(scene, "message two");
      for (const id of [first, second]) await isDelivered(scene, id);
      expect(performance.now() - asked).toBeGreaterThan(1_500);
      expect(await scene.channel.heard()).toEqual(["message one", "message two"]);
      expect(platform.calls.filter(({ method }) => method === "sendMessage")).toHaveLength(3);
    }));

  it("slack: gets the pause that it asks for, then each message once", () =>
    inScene(slack, async (scene) => {
      const { slack: platform } = scene.channel.stage;
      platform.plan("chat.postMessage", { retryAfterSeconds: 2 });
      const first = await send(scene, "message one");
      await until(() => platform.calls.some(({ method }) => method === "chat.postMessage"), "a first try");
      const second = await send(scene, "message two");
      for (const id of [first, second]) await isDelivered(scene, id);
      expect(await scene.channel.heard()).toEqual(["message one", "message two"]);
      expect(platform.calls.filter(({ method }) => method === "chat.postMessage")).toHaveLength(3);
    }));

  it("telegram, slack: a 5xx may have been a success, so the repeat is marked", async () => {
    await inScene(telegram, async (scene) => {
      scene.channel.stage.telegram.plan("sendMessage", "garbage");
      await isDelivered(scene, await send(scene, "hello"));
      expect(await scene.channel.heard()).toEqual(["(perhaps a repeat) hello"]);
    });
    await inScene(slack, async (scene) => {
      scene.channel.stage.slack.plan("chat.postMessage", { status: 503 });
      await isDelivered(scene, await send(scene, "hello"));
      expect(await scene.channel.heard()).toEqual(["(perhaps a repeat) hello"]);
    });
  });

  it("telegram: a connection that hangs is given up, and the repeat is marked", () =>
    inScene(telegram, async (scene) => {
      scene.channel.stage.telegram.plan("sendMessage", "silence");
      const [first, second] = [await send(scene, "message one"), await send(scene, "message two")];
      for (const id of [first, second]) await isDelivered(scene, id);
      expect(await scene.channel.heard()).toEqual(["(perhaps a repeat) message one", "message two"]);
    }));

  it("slack: a connection that hangs is given up, and the repeat is marked", () =>
    inScene(slack, async (scene) => {
      scene.channel.stage.slack.plan("chat.postMessage", "silence");
      const [first, second] = [await send(scene, "message one"), await send(scene, "message two")];
      for (const id of [first, second]) await isDelivered(scene, id);
      expect(await scene.channel.heard()).toEqual(["(perhaps a repeat) message one", "message two"]);
    }));

  it("email, imessage: is tried again", async () => {
    await inScene(email, async (scene) => {
      scene.channel.stage.server.refuse("451 try again later");
      await isDelivered(scene, await send(scene, "hello"));
      expect(await scene.channel.heard()).toEqual(["hello"]);
    });
    await inScene(imessage, async (scene) => {
      await scene.channel.messages.behaves({ isSelf: true, isAway: true });
      const id = await send(scene, "hello");
      const hold = async () => (await deliveryOf(scene.client, id))?.hold?.reason;
      await until(async () => (await hold()) === "offline", "a hold");
      await scene.channel.messages.behaves({ isSelf: true, isAway: false });
      await isDelivered(scene, id);
      expect((await scene.channel.heard()).at(-1)).toContain("hello");
    });
  });
});
