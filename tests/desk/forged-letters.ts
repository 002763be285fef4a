/** Letters as a host might write them that does not keep to the rules. */
import { expect } from "vitest";
import type { DeskCluster, HostDesk } from "./host-desks.ts";

export const FORGED_ID = "0000abcd-0000-4000-8000-000000000001";

interface Said {
  readonly id?: string;
  readonly delivery?: string;
  readonly message?: Readonly<Record<string, unknown>>;
}

/** A letter of host `a` to Bob, with whatever a host might write instead. */
export function letter({
  id = FORGED_ID,
  delivery = `${id}.1`,
  message,
  ...rest
}: Said & Record<string, unknown> = {}) {
  return {
    ...{ kind: "letter", delivery },
    message: {
      ...{ id, shortId: "zzzzzz", from: "agent/mallory@a", to: "agent/bob", body: "hi" },
      ...{ form: { kind: "text" }, priority: "normal", source: "agent", hops: 0 },
      ...message,
    },
    ...rest,
  };
}

/** What `a` is told became of it; undefined: it was taken. */
export async function refusal(cluster: DeskCluster, b: HostDesk, parcel: ReturnType<typeof letter>) {
  cluster.forges("a", "b", [parcel]);
  await cluster.advance(1_000);
  const taken = b.store.read.takenLetter("a", parcel.delivery);
  expect(taken).toBeDefined();
  return taken?.refusal;
}
