// The simulator as the page sees it: a worker that can be asked, and stopped.

import type { FromWorker, Progress, Refusal, Requests } from "./protocol";

/** Why a request was not met. */
export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

/** The request was given up, with the worker. */
export class Stopped extends Error {}

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (why: Error) => void;
}

export class Simulator {
  private worker?: Worker;
  private started: Promise<void> = Promise.resolve();
  private waiting = new Map<number, Waiting>();
  private next = 0;
  /** How long the last answer took to compute. */
  milliseconds = 0;
  onProgress?: (progress: Progress) => void;

  constructor(
    private readonly script: string,
    private readonly files: Promise<Record<string, string>>,
  ) {
    this.start();
  }

  /** Asks; the answer comes when everything that was asked before has been answered. */
  async ask<K extends keyof Requests>(ask: K, what: Requests[K][0]): Promise<Requests[K][1]> {
    await this.started;
    return this.send(ask, what) as Promise<Requests[K][1]>;
  }

  /** Gives up all that is being worked on: the worker ends, and a new one begins. */
  stop(): void {
    this.fail(new Stopped("stopped"));
    this.worker?.terminate();
    this.start();
  }

  private start(): void {
    const worker = new Worker(this.script, { type: "module" });
    this.worker = worker;
    this.started = new Promise<void>((resolve, reject) => {
      worker.onerror = (event) => {
        reject(new Error(event.message || "the simulator cannot be loaded"));
        this.fail(new Error(event.message));
      };
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.kind === "ready") this.files.then((files) => this.send("files", { files })).then(() => resolve(), reject);
        else if (data.kind === "progress") this.onProgress?.(data.progress);
        else if (data.kind === "answer") this.answered(data.id, data.answer, data.milliseconds);
        else {
          reject(new Error(data.message));
          this.fail(new Error(`The simulator broke down: ${data.message}`));
          this.stop();
        }
      };
    });
    // Whoever asks is told; a worker that nobody asks may be stopped before it has started.
    this.started.catch(() => {});
  }

  private send(ask: string, what: object): Promise<unknown> {
    const id = this.next;
    this.next += 1;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker?.postMessage({ id, request: JSON.stringify({ ask, ...what }) });
    });
  }

  private answered(id: number, answer: string, milliseconds: number): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    this.milliseconds = milliseconds;
    const read: { value?: unknown; refusal?: Refusal } = JSON.parse(answer);
    if (read.refusal) waiting?.reject(new Refused(read.refusal));
    else waiting?.resolve(read.value);
  }

  private fail(why: Error): void {
    for (const { reject } of this.waiting.values()) reject(why);
    this.waiting.clear();
  }
}
