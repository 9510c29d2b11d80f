import { messageOf } from '../errors.js';
/** Methods that another process may call: arguments and results are cloned. */
type Methods<T> = { readonly [Name in keyof T]: (...args: never[]) => unknown };
type Served = Readonly<Record<string, (...args: never[]) => unknown>>;

interface Call {
  readonly call: string;
  readonly args: readonly unknown[];
  /** Null: the caller wants no result. */
  readonly id: number | null;
}
type Answer = { readonly answer: number } & (
  { readonly result: unknown } | { readonly error: string }
);

/** Calls methods of another process over a channel of messages, in order, and answers its calls. */
export class ProcessLink<Remote extends Methods<Remote>> {
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private lastId = 0;

  /**
   * @param send gives a message to the channel; it may be lost when the other process has ended
   * @param served the methods that the other process may call
   */
  constructor(
    private readonly send: (message: Call | Answer) => void,
    private readonly served: Served,
  ) {}

  /** Never settles if the other process ends. @throws Error with the method's message */
  call<Name extends keyof Remote & string>(
    call: Name,
    ...args: Parameters<Remote[Name]>
  ): Promise<Awaited<ReturnType<Remote[Name]>>> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, (answer) => {
        if ('error' in answer) reject(new Error(answer.error));
        else resolve(answer.result as Awaited<ReturnType<Remote[Name]>>);
      });
      this.send({ call, args, id });
    });
  }

  /** Calls a method without waiting for a result. */
  tell<Name extends keyof Remote & string>(call: Name, ...args: Parameters<Remote[Name]>): void {
    this.send({ call, args, id: null });
  }

  /** Call with each message of the channel; ignores messages that are not a link's. */
  receive(message: object): void {
    if ('call' in message) void this.serve(message as Call);
    if (!('answer' in message)) return;
    const answer = message as Answer;
    this.waiting.get(answer.answer)?.(answer);
    this.waiting.delete(answer.answer);
  }

  private async serve({ call, args, id }: Call): Promise<void> {
    const given = Promise.resolve(args as never[]);
    const answer = await given
      .then((values) => this.served[call]?.(...values))
      .then(
        (result) => ({ result }),
        (error: unknown) => ({ error: messageOf(error) }),
      );
    if (id !== null) this.send({ answer: id, ...answer });
  }
}
