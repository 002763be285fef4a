/** Asks our plugin inside an OpenCode window: one line of JSON each way, over its socket. */
import { createConnection } from "node:net";
import { type Fields, parseLine } from "../../transcripts/line.ts";

/** `unsent`: it certainly got nothing. `lost`: it may have got everything, but no answer came. */
export class LinkError extends Error {
  override readonly name = "LinkError";
  readonly question: "unsent" | "lost";

  constructor(question: "unsent" | "lost", message: string) {
    super(message);
    this.question = question;
  }
}

/** Much more than any answer has. */
const LONGEST_ANSWER = 64 * 1024;

export function askWindow(path: string, question: object, signal: AbortSignal): Promise<Fields> {
  return new Promise((resolve, reject) => {
    let isConnected = false;
    let text = "";
    const socket = createConnection(path);
    const fail = (why: string) => {
      signal.removeEventListener("abort", giveUp);
      socket.destroy();
      reject(new LinkError(isConnected ? "lost" : "unsent", why));
    };
    const giveUp = () => fail("OpenCode did not answer in time");
    if (signal.aborted) return fail("it was cancelled");
    signal.addEventListener("abort", giveUp, { once: true });
    socket.setEncoding("utf8");
    socket.on("connect", () => {
      isConnected = true;
      socket.write(`${JSON.stringify(question)}\n`);
    });
    socket.on("error", (error) => fail(`its socket failed (${(error as NodeJS.ErrnoException).code})`));
    socket.on("data", (piece: string) => {
      text += piece;
      if (text.length > LONGEST_ANSWER) fail("its answer is too long");
    });
    socket.on("close", () => {
      const answer = text.endsWith("\n") ? parseLine(text) : undefined;
      if (answer === undefined) return fail("it closed the connection without an answer");
      signal.removeEventListener("abort", giveUp);
      resolve(answer);
    });
  });
}
