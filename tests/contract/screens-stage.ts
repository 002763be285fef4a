/** A daemon with its own tmux, and pages that look at what runs there or in hosted terminals. */
import { Bellhop } from "../rig/bellhop.ts";
import { ScreenPage, type Seen } from "../rig/screen-page.ts";
import { SCRIPTED_PROFILE, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { WATCHED_PROFILE, watchedCommand } from "./watched-program.ts";

export class ScreensStage {
  readonly tmux: TmuxServer = startTmuxServer();
  readonly bellhop: Bellhop;
  readonly #pages: ScreenPage[] = [];

  private constructor() {
    const servers = `tmux: { servers: ["${this.tmux.socket}"] }\n`;
    this.bellhop = new Bellhop({ config: `${servers}${SCRIPTED_PROFILE}${WATCHED_PROFILE}` });
  }

  static async open(): Promise<ScreensStage> {
    const stage = new ScreensStage();
    await stage.bellhop.start();
    return stage;
  }

  async page(agent?: string): Promise<ScreenPage> {
    const page = await ScreenPage.of(this.bellhop, agent);
    this.#pages.push(page);
    return page;
  }

  /** Its session, once Bellhop knows it. */
  async found(pane: string): Promise<string> {
    let id: string | undefined;
    await until(async () => {
      const { sessions } = await this.bellhop.ask("ls", {});
      id = sessions.find(({ terminal }) => terminal?.kind === "tmux" && terminal.pane === pane)?.id;
      return id !== undefined;
    }, "the program to be found");
    return id ?? "";
  }

  /** Any program, in a tmux pane of its own. */
  runs(command: readonly string[], cols = 100, rows = 30): Promise<string> {
    const { folder } = this.tmux;
    return this.tmux.newSession({
      name: "work",
      command: watchedCommand(folder, command),
      cwd: folder,
      cols,
      rows,
    });
  }

  /** Any program, in a hosted terminal. */
  async hosts(command: readonly string[]): Promise<string> {
    const watched = watchedCommand(this.tmux.folder, command);
    return (await this.bellhop.runDetached(watched, { name: "hosted", folder: this.tmux.folder })).sessionId;
  }

  /** What somebody sees who comes only now. */
  async freshlySeen(who: string): Promise<Seen> {
    const page = await ScreenPage.of(this.bellhop);
    try {
      await page.look(1, who);
      return await page.seen(1);
    } finally {
      page.close();
    }
  }

  async close(): Promise<void> {
    for (const page of this.#pages) page.close();
    await this.bellhop.dispose();
    await this.tmux.kill();
  }
}
