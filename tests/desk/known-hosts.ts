/** One host that says what it has and hears what others say of themselves, without the rest of an office. */
import { onTestFinished } from "vitest";
import type { AdmittedHost } from "../../src/core/cluster/admission.ts";
import type { OfficeContext } from "../../src/office/base/context.ts";
import { StateWatch } from "../../src/office/base/state-watch.ts";
import { Touches } from "../../src/office/base/touches.ts";
import { KnownHosts } from "../../src/office/cluster/neighbours.ts";
import { Directory } from "../../src/office/presence/directory.ts";
import { Neighbours } from "../../src/office/presence/neighbourhood.ts";
import type { Sealer } from "../../src/ports/cluster-engine.ts";
import type { Store } from "../../src/ports/store.ts";
import type { Announcement } from "../../src/wire/cluster/parcels.ts";
import { FakeClock, OpenWork } from "./clock.ts";
import { emptyStore } from "./empty-store.ts";

/** Its signature is the key itself. */
export function sealer(key: string): Sealer {
  return {
    isKey: () => true,
    publicKey: key,
    sign: (bytes) => Buffer.concat([Buffer.from(`${key}\n`), bytes]),
    verified: (signed, by) => {
      const text = Buffer.from(signed).toString("utf8");
      return text.startsWith(`${by}\n`) ? Buffer.from(text.slice(by.length + 1)) : undefined;
    },
    seal: (bytes) => bytes,
    open: (bytes) => bytes,
  };
}

export const admit = (...names: readonly string[]): readonly AdmittedHost[] =>
  names.map((host) => ({ host, key: `key of ${host}`, rights: ["send", "hear"] }));

export interface Host {
  readonly clock: FakeClock;
  readonly store: Store;
  readonly said: Uint8Array[];
  readonly warned: string[];
  /** How many signatures it has looked at. */
  verified: number;
  admitted: readonly AdmittedHost[];
  /** A daemon starts with this store. */
  open(): KnownHosts;
}

export async function aHost(name: string, admitted: readonly AdmittedHost[] = []): Promise<Host> {
  const work = new OpenWork();
  const clock = new FakeClock(work);
  const kept = await emptyStore();
  onTestFinished(() => kept.close());
  const touches = new Touches(kept);
  const host: Host = {
    clock,
    store: touches.store,
    said: [],
    warned: [],
    verified: 0,
    admitted,
    open: () => {
      const log = { info: () => {}, error: () => {}, warn: (event: string) => void host.warned.push(event) };
      const own = sealer(`key of ${name}`);
      const verified: Sealer["verified"] = (...signed) => {
        host.verified += 1;
        return own.verified(...signed);
      };
      const context = { store: touches.store, clock, owner: "person/dev", log } as Partial<OfficeContext>;
      const hosts = new KnownHosts({
        context: context as OfficeContext,
        directory: new Directory(touches.store, "person/dev"),
        states: new StateWatch(),
        neighbours: new Neighbours(),
        touches,
        host: name,
        admitted: () => host.admitted,
        sealer: { ...own, verified },
        announce: async (bytes) => void host.said.push(bytes),
      });
      hosts.start();
      onTestFinished(() => hosts.stop());
      return hosts;
    },
  };
  return host;
}

/** What a host said last. */
export function saidBy({ said }: Host): Announcement {
  const text = Buffer.from(said.at(-1) ?? []).toString("utf8");
  return JSON.parse(text.slice(text.indexOf("\n") + 1));
}

/** As another host would say it. */
export function announcement(host: string, told: Partial<Announcement> = {}): Uint8Array {
  const said = { host, number: 1, version: "1.0.0", agents: [], patterns: [], ...told };
  return sealer(`key of ${host}`).sign(Buffer.from(JSON.stringify(said)));
}
