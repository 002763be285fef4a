/** Runs turns for the tests of the office: what each says is scripted, and nothing runs by itself. */
import type {
  QuestionHandover,
  Runner,
  TriageQuestion,
  TurnHandover,
  TurnOrder,
  TurnOutcome,
} from "../../src/ports/runner.ts";

export interface RunningTurn {
  readonly order: TurnOrder;
  readonly handover: TurnHandover;
  end(outcome: TurnOutcome): void;
}

type Verdict = { readonly answer: string } | { readonly none: string };

export const TRIAGE_PROCESS = { pid: 3_999, startedAt: "1" } as const;

export class DeskRunner implements Runner {
  readonly orders: TurnOrder[] = [];
  readonly questions: TriageQuestion[] = [];
  readonly ended: number[] = [];
  /** Those that wait for `end`. */
  readonly running = new Set<RunningTurn>();
  /** The most that ran at once, and the most of one session. */
  most = 0;
  mostOfOne = 0;
  why: string | undefined;
  /** What a turn does; without it, it runs until it is ended. */
  behaves: ((order: TurnOrder) => TurnOutcome | undefined) | undefined = ({ prompt }) => ({
    kind: "answered",
    answer: `done: ${prompt.length}`,
    conversation: "conversation-1",
    usd: 0.01,
    tokensIn: 10,
    tokensOut: 5,
  });
  verdict: (question: TriageQuestion) => Verdict | Promise<Verdict> = () => ({
    answer: "YES\nit asks for something",
  });

  obstacle(): string | undefined {
    return this.why;
  }

  async run(order: TurnOrder, handover: TurnHandover): Promise<TurnOutcome> {
    this.orders.push(order);
    await handover.started({ pid: 4_000 + this.orders.length, startedAt: "1" });
    const outcome = this.behaves?.(order);
    if (outcome !== undefined) return outcome;
    return new Promise((resolve) => {
      const turn: RunningTurn = {
        order,
        handover,
        end: (how) => {
          this.running.delete(turn);
          resolve(how);
        },
      };
      this.running.add(turn);
      this.most = Math.max(this.most, this.running.size);
      const ofOne = [...this.running].filter((one) => one.order.sessionId === order.sessionId).length;
      this.mostOfOne = Math.max(this.mostOfOne, ofOne);
      handover.signal.addEventListener("abort", () => turn.end({ kind: "stopped" }), { once: true });
    });
  }

  async ask(question: TriageQuestion, handover: QuestionHandover): Promise<Verdict> {
    this.questions.push(question);
    await handover.started(TRIAGE_PROCESS);
    return this.verdict(question);
  }

  async end({ pid }: { readonly pid: number }): Promise<void> {
    this.ended.push(pid);
    this.running.clear();
  }
}
