import { join } from "node:path";
import { openStore } from "../../src/store/sqlite/store.ts";
import { storeContract } from "./store.ts";

storeContract("SQLite", (folder) => openStore({ path: join(folder, "bellhop.db") }));
