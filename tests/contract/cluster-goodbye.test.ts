/** A daemon that stops while NATS accepts and never answers: it ends in time, and loses nothing. */
import { expect, it, onTestFinished } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";
import { joinHosts } from "../rig/join-hosts.ts";
import { until } from "../rig/scripted-agent.ts";
import { nats } from "./cluster-nats-stage.ts";

const PATIENCE_MS = 180_000;

async function started(): Promise<Bellhop> {
  const bellhop = new Bellhop();
  onTestFinished(() => bellhop.dispose());
  await bellhop.start();
  return bellhop;
}

it("is over in time, with a bag under way, and the message arrives once after the next start", async () => {
  const server = await nats();
  const [laptop, desk] = [await started(), await started()];
  const hosts = [
    { name: "laptop", bellhop: laptop },
    { name: "desk", bellhop: desk },
  ];
  await joinHosts(hosts, server.urls);
  await desk.run(["agent", "add", "coder"]);
  const isKnown = async () =>
    (await laptop.ask("cluster_hosts", {})).hosts.some(({ agents }) =>
      JSON.stringify(agents).includes("coder"),
    );
  await until(isKnown, "coder to be known", PATIENCE_MS);
  const [one] = server.servers;
  await one?.freeze(true);
  const { messageId: id } = await laptop.json<{ messageId: string }>(["send", "desk:coder", "kept"]);
  const state = async () => (await laptop.ask("show", { id })).deliveries[0]?.state;
  await until(async () => (await state()) === "delivering", "the bag to be under way", PATIENCE_MS);
  await laptop.stop();
  await one?.freeze(false);
  expect(laptop.log()).toContain("daemon.stopped");
  expect(laptop.log()).not.toMatch(/_failed|close_late/);
  await laptop.start();
  const there = () => desk.json<{ message: { body: string } }[]>(["inbox", "coder"]);
  await until(async () => (await there()).length > 0, "the message", PATIENCE_MS);
  await desk.json(["inbox", "coder", "--take"]);
  await until(async () => (await state()) === "delivered", "the news", PATIENCE_MS);
  expect(await there()).toHaveLength(0);
});
