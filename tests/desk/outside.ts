/** The surroundings of an office in a test: no hosts, and no daemon status. */
import type { OfficeParts } from "../../src/office/rooms.ts";
import type { Desktop } from "../../src/ports/desktop.ts";
import type { Hosts } from "../../src/ports/hosts.ts";
import { nextByCron } from "../../src/system/cron.ts";
import { screenDigest } from "../../src/system/ids.ts";
import { needsOf } from "../../src/wire/verbs/index.ts";

const noHosts: Hosts = {
  check: async () => {},
  start: async () => {},
  facts: async () => undefined,
  grant: async () => undefined,
  stop: async () => "absent",
  forget: async () => {},
  openWindow: async () => ({ server: "/desk.sock", pane: "%99" }),
  stopWindow: async () => "absent",
};

const absent = () => {
  throw new Error("there is no cluster on this desk");
};

export const OUTSIDE = {
  digest: screenDigest,
  nextByCron,
  needs: needsOf,
  hosts: noHosts,
  programOf: ([file]: readonly string[]) => file?.split("/").at(-1),
  prepareCommand: async ({ command, resume }) =>
    resume === undefined ? command : [...command, "--resume", resume],
  hostedEnvironment: {},
  closedBridges: () => [],
  clusterSetting: {
    configured: () => undefined,
    absent,
    test: absent,
    join: absent,
    admit: absent,
    expel: absent,
    leave: absent,
  },
  writeQuietHours: () => {},
  pushSender: { publicKey: async () => "k", send: async () => ({ kind: "accepted" }) },
  classifier: { classify: async () => ({ none: "not on this desk" }) },
  runner: {
    obstacle: () => "not on this desk",
    run: async () => ({ kind: "not-started", why: "not on this desk" }),
    ask: async () => ({ none: "not on this desk" }),
    end: async () => {},
  },
  status: (counts) => ({
    running: true,
    pid: 1,
    version: "0",
    home: "/",
    socket: "/s",
    http: { host: "127.0.0.1", port: 1 },
    tokenFile: "/t",
    startedAt: 0,
    trouble: [],
    ...counts,
  }),
  desktop: { notify: async () => {}, obstacle: () => undefined } as Desktop,
  seat: { use: async () => ({}) },
  stop: () => {},
} satisfies Partial<OfficeParts>;
