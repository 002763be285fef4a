import { join } from "node:path";
import { openStore } from "../../src/store/sqlite/store.ts";
import { storeContract } from "./store.ts";
import { brokerStoreContract } from "./store-broker.ts";
import { clusterStoreContract } from "./store-cluster.ts";
import { deadLettersContract } from "./store-dead-letters.ts";
import { outsideStoreContract } from "./store-outside.ts";
import { sentLettersContract } from "./store-sent-letters.ts";
import { storeTimeContract } from "./store-time.ts";
import { storeTimersContract } from "./store-timers.ts";
import { turnStoreContract } from "./store-turns.ts";

const open = (folder: string) => openStore({ path: join(folder, "bellhop.db") });

storeContract("SQLite", open);
brokerStoreContract("SQLite", open);
deadLettersContract("SQLite", open);
outsideStoreContract("SQLite", open);
storeTimeContract("SQLite", open);
storeTimersContract("SQLite", open);
turnStoreContract("SQLite", open);
sentLettersContract("SQLite", open);
clusterStoreContract("SQLite", open);
