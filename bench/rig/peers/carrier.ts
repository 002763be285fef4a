/** Any system that carries messages from one publisher to many listeners. */
export interface Carrier {
  readonly what: string;
  /** The publisher and each listener have their own connections; nobody else uses this path. */
  open(listeners: number): Promise<FanOut>;
  close(): Promise<void>;
}

export interface FanOut {
  readonly listeners: number;
  publish(body: string): void;
  /** Sets who is told from now on. */
  watch(events: FanOutEvents): void;
}

export interface FanOutEvents {
  /** The publisher knows that the system has the message; at once, if the system sends no answer. */
  answered(): void;
  /** One listener has one message; this is its body. */
  heard(body: string): void;
  failed(cause: unknown): void;
}

/** The same for all systems: no events before somebody watches. */
export class Watched {
  events: FanOutEvents = { answered() {}, heard() {}, failed() {} };

  fanOut(listeners: number, publish: (body: string) => void): FanOut {
    return {
      listeners,
      publish,
      watch: (events) => {
        this.events = events;
      },
    };
  }
}

const IN_FLIGHT = 200;
const DEADLINE_MS = 60_000;
const LENGTH = 188;
const FILLING = "the quick brown fox jumps over the lazy dog ".repeat(5);

/** Pushes per second. A message is in flight until its publisher has an answer and every listener has the message. */
export function flood(fanOut: FanOut, messages: number, inFlight = IN_FLIGHT): Promise<number> {
  const { listeners } = fanOut;
  const left = new Array<number>(messages).fill(listeners);
  return new Promise((resolve, reject) => {
    let published = 0;
    let answered = 0;
    let complete = 0;
    const start = performance.now();
    const fail = (cause: unknown): void => {
      clearTimeout(timer);
      reject(cause);
    };
    const timer = setTimeout(() => {
      fail(new Error(`1→${listeners}: of ${messages}, ${answered} were answered, ${complete} came to all`));
    }, DEADLINE_MS);
    const goOn = (): void => {
      const done = Math.min(answered, complete);
      for (; published < messages && published - done < inFlight; published += 1)
        fanOut.publish(`${published} ${FILLING}`.slice(0, LENGTH));
      if (done < messages) return;
      clearTimeout(timer);
      resolve((messages * listeners * 1_000) / (performance.now() - start));
    };
    fanOut.watch({
      answered() {
        answered += 1;
        goOn();
      },
      heard(body) {
        const index = Number.parseInt(body, 10);
        const missing = left[index];
        if (body.length !== LENGTH || missing === undefined || missing === 0)
          return fail(new Error(`1→${listeners}: not what was published, or once too often: ${body}`));
        left[index] = missing - 1;
        if (missing > 1) return;
        complete += 1;
        goOn();
      },
      failed: fail,
    });
    goOn();
  });
}
