/** Serves one account over IMAP on 127.0.0.1, without TLS. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Account, answerTo, CAPABILITIES, type SessionState } from "./imap-commands.ts";

const LONGEST_LINE = 8_192;
const OPENING = ["SELECT", "EXAMINE"];

export class ImapServer {
  readonly #account: Account;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(account: Account) {
    this.#account = account;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      const session = new Session(socket, this.#account);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        session.end();
      });
    });
  }

  static async start(account: Account): Promise<ImapServer> {
    const imap = new ImapServer(account);
    await new Promise<void>((resolve, reject) => {
      imap.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    return imap;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

class Session {
  readonly #socket: Socket;
  readonly #account: Account;
  readonly end: () => void;
  #state: SessionState = "greeted";
  #input = "";
  /** The tag of the IDLE that goes on. */
  #idles: string | undefined;
  /** How many mails the client knows of. */
  #told = 0;

  constructor(socket: Socket, account: Account) {
    this.#socket = socket;
    this.#account = account;
    this.end = account.mailbox.watch(() => {
      if (this.#idles !== undefined) this.#tellNews();
    });
    socket.setEncoding("latin1").on("data", (text: string) => this.#take(text));
    socket.write(`* OK [CAPABILITY ${CAPABILITIES}] ready\r\n`);
  }

  #take(text: string): void {
    this.#input += text;
    for (let end = this.#input.indexOf("\r\n"); end >= 0; end = this.#input.indexOf("\r\n")) {
      const line = this.#input.slice(0, end);
      this.#input = this.#input.slice(end + 2);
      this.#obey(line);
    }
    if (this.#input.length > LONGEST_LINE) this.#socket.destroy();
  }

  #obey(line: string): void {
    if (this.#idles !== undefined) {
      if (line.toUpperCase() === "DONE") this.#socket.write(`${this.#idles} OK done\r\n`);
      this.#idles = undefined;
      return;
    }
    const [, tag = "*", name = "", rest = ""] = /^(\S+) ((?:UID )?\S+) ?(.*)$/iu.exec(line) ?? [];
    const command = name.toUpperCase();
    if (command === "IDLE" && this.#state === "reading") {
      this.#idles = tag;
      this.#socket.write("+ idling\r\n");
      this.#tellNews();
      return;
    }
    const { untagged, end } = answerTo(command, rest, this.#state, this.#account);
    for (const part of untagged) {
      this.#socket.write(part);
      this.#socket.write("\r\n");
    }
    if (end.startsWith("OK")) this.#did(command);
    this.#tellNews();
    this.#socket.write(`${tag} ${end}\r\n`);
    if (command === "LOGOUT") this.#socket.end();
  }

  #did(command: string): void {
    if (command === "LOGIN") this.#state = "known";
    if (!OPENING.includes(command)) return;
    this.#state = "reading";
    this.#told = this.#account.mailbox.mails.length;
  }

  #tellNews(): void {
    const { length } = this.#account.mailbox.mails;
    if (this.#state !== "reading" || length === this.#told) return;
    this.#told = length;
    this.#socket.write(`* ${length} EXISTS\r\n`);
  }
}
