/** A Messages app in a process of its own, with an `osascript` that uses it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Manners, Script } from "../../../src/bridges/imessage/rehearsal/messages.ts";
import type { Written } from "../../../src/bridges/imessage/rehearsal/rows.ts";
import { bundleProgram } from "../../contract/child-program.ts";

const PROGRAMS = fileURLToPath(new URL("../programs", import.meta.url));
const OSASCRIPT = fileURLToPath(
  new URL("../../../src/bridges/imessage/rehearsal/osascript.mjs", import.meta.url),
);

export type Told =
  | { readonly do: "write"; readonly row: Written }
  | { readonly do: "write many"; readonly rows: readonly Written[] }
  | { readonly do: "behave"; readonly manners: Manners }
  | { readonly do: "run"; readonly sql: string }
  | { readonly do: "query"; readonly sql: string }
  | { readonly do: "scripts" }
  | { readonly do: "close" };

export class Messages {
  readonly folder: string;
  readonly chatDb: string;
  /** The folder with its `osascript`, for a PATH. */
  readonly bin: string;
  #app: ChildProcess | undefined;
  #asked = 0;

  private constructor(folder: string) {
    this.folder = folder;
    this.chatDb = join(folder, "Messages", "chat.db");
    this.bin = join(folder, "bin");
  }

  static async start(schema?: string): Promise<Messages> {
    const messages = new Messages(mkdtempSync(join(tmpdir(), "bellhop-messages-")));
    const program = await bundleProgram("messages", messages.folder, PROGRAMS);
    const args = [messages.folder, OSASCRIPT, ...(schema === undefined ? [] : [schema])];
    messages.#app = fork(program, args, { serialization: "advanced" });
    await once(messages.#app, "message");
    return messages;
  }

  /** Resolves with the guid. */
  async writes(row: Written): Promise<string> {
    return (await this.#ask({ do: "write", row })) as string;
  }

  /** In one transaction. */
  async writesMany(rows: readonly Written[]): Promise<readonly string[]> {
    return (await this.#ask({ do: "write many", rows })) as readonly string[];
  }

  async behaves(manners: Manners): Promise<void> {
    await this.#ask({ do: "behave", manners });
  }

  async run(sql: string): Promise<void> {
    await this.#ask({ do: "run", sql });
  }

  async query<Row>(sql: string): Promise<readonly Row[]> {
    return (await this.#ask({ do: "query", sql })) as readonly Row[];
  }

  /** What `osascript` was given. */
  async scripts(): Promise<readonly Script[]> {
    return (await this.#ask({ do: "scripts" })) as readonly Script[];
  }

  /** The app is not there, and neither is its database. */
  async isAway(isAway: boolean): Promise<void> {
    await this.behaves({ isAway });
    await this.#ask({ do: "close" });
    const [here, away] = [join(this.folder, "Messages"), join(this.folder, "Messages.away")];
    renameSync(isAway ? here : away, isAway ? away : here);
  }

  /** The database is closed until the next thing is written: files can be replaced. */
  async closesDatabase(): Promise<void> {
    await this.#ask({ do: "close" });
  }

  async close(): Promise<void> {
    const app = this.#app;
    if (app !== undefined && app.exitCode === null) {
      const exited = once(app, "exit");
      app.kill("SIGKILL");
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  #ask(told: Told): Promise<unknown> {
    const app = this.#app;
    if (app === undefined) throw new Error("Messages was not started");
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve, reject) => {
      const hear = (answer: { readonly id: number; readonly value?: unknown; readonly error?: string }) => {
        if (answer.id !== id) return;
        app.off("message", hear);
        if (answer.error === undefined) resolve(answer.value);
        else reject(new Error(answer.error));
      };
      app.on("message", hear);
      app.send({ id, told });
    });
  }
}
