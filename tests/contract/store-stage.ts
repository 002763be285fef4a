import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { Store } from "../../src/ports/store.ts";

/** Called twice with one folder it opens the same store again. */
export type OpenStore = (folder: string) => Promise<Store>;

export interface StoreStage {
  readonly store: Store;
  reopen(): Promise<void>;
}

/** A new store for each test of the suite. */
export function storeStage(open: OpenStore): StoreStage {
  let folder: string;
  let store: Store;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "bellhop-store-"));
    store = await open(folder);
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get store() {
      return store;
    },
    async reopen() {
      await store.close();
      store = await open(folder);
    },
  };
}
