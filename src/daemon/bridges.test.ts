import { afterEach, expect, it } from "vitest";
import { parseConfig } from "../config/config.ts";
import { BRIDGE_NAMES, type BridgeName } from "../core/outside/places.ts";
import { ConfiguredBridges } from "./bridges.ts";

const NONE = parseConfig("", "/c");
const TELEGRAM = parseConfig("bridges: { telegram: { token_env: TOKEN, chat: 42 } }", "/c");

let toClose: ConfiguredBridges | undefined;
afterEach(() => toClose?.close());

function configured(closeBridge: () => Promise<void> = async () => {}) {
  const awaited: BridgeName[] = [];
  const opened: BridgeName[] = [];
  const logged: string[] = [];
  const note = (event: string) => void logged.push(event);
  const bridges = new ConfiguredBridges({
    home: "/none",
    environment: { TOKEN: "1:secret" },
    office: {
      openBridge: async ({ name }) => void opened.push(name),
      closeBridge,
      awaitBridge: (name) => void awaited.push(name),
    },
    log: { info: () => {}, warn: note, error: note },
  });
  toClose = bridges;
  return { bridges, awaited, opened, logged };
}

it("awaits at the start each bridge that is not configured: one may have been until the daemon was stopped", async () => {
  const { bridges, awaited, opened } = configured();
  await bridges.apply(TELEGRAM);
  expect(opened).toEqual(["telegram"]);
  expect(awaited).toEqual(BRIDGE_NAMES.filter((name) => name !== "telegram"));
  await bridges.apply(TELEGRAM);
  expect(awaited).toHaveLength(BRIDGE_NAMES.length - 1);
});

it("goes on with what is configured if a bridge cannot be closed", async () => {
  const { bridges, awaited, opened, logged } = configured(() => Promise.reject(new Error("it hangs")));
  await bridges.apply(TELEGRAM);
  await bridges.apply(NONE);
  expect(awaited.at(-1)).toBe("telegram");
  expect(logged).toEqual(["bridge.not_closed"]);
  await bridges.apply(TELEGRAM);
  expect(opened).toEqual(["telegram", "telegram"]);
});
