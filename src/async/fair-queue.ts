import type { GatewayError } from '../errors.js';

/** Where work comes from. Networks take turns, and so do the addresses of one network. */
export interface WorkSource {
  readonly address: string;
  /** The larger network that the address belongs to; may be the address itself. */
  readonly network: string;
}

/** The bounds of a queue. */
export interface FairQueueOptions {
  readonly maxRunning: number;
  readonly maxRunningPerNetwork: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerNetwork: number;
  /** The error for work that has no place. */
  readonly refusal: () => GatewayError;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: () => void;
}

interface Network {
  running: number;
  waiting: number;
  /** Waiting work by address, in the order of turns. */
  readonly addresses: Map<string, Waiting[]>;
}

/**
 * Runs work of many sources, few at a time, so that no source waits for the whole queue of another
 * one. If the queue is full, a network with less waiting work takes a place from the network with
 * the most.
 */
export class FairQueue {
  /** Networks that have work, in the order of their turns. */
  private readonly networks = new Map<string, Network>();
  private running = 0;
  private waiting = 0;

  constructor(private readonly options: FairQueueOptions) {}

  /** Runs the work in its turn. @throws GatewayError the queue's refusal if there is no place */
  run<T>({ network: name, address }: WorkSource, work: () => Promise<T>): Promise<T> {
    const network = this.networks.get(name) ?? { running: 0, waiting: 0, addresses: new Map() };
    this.networks.set(name, network);
    return new Promise<T>((resolve, reject) => {
      const start = (): void => {
        this.running++;
        network.running++;
        work()
          .then(resolve, reject)
          .finally(() => this.ended(name, network));
      };
      const refuse = (): void => reject(this.options.refusal());
      if (this.mayRun(network)) start();
      else if (this.makePlace(network)) this.enqueue(network, address, { start, refuse });
      else {
        this.forget(name, network);
        refuse();
      }
    });
  }

  private mayRun({ running }: Network): boolean {
    const { maxRunning, maxRunningPerNetwork } = this.options;
    return this.running < maxRunning && running < maxRunningPerNetwork;
  }

  /** Refuses another network's work if need be. @returns whether there is a place */
  private makePlace(network: Network): boolean {
    const { maxWaiting, maxWaitingPerNetwork } = this.options;
    if (network.waiting >= maxWaitingPerNetwork) return false;
    if (this.waiting < maxWaiting) return true;
    let largest = network;
    for (const other of this.networks.values())
      if (other.waiting > largest.waiting) largest = other;
    if (largest.waiting <= network.waiting + 1) return false;
    this.refuseLast(largest);
    return true;
  }

  private enqueue(network: Network, address: string, work: Waiting): void {
    const queue = network.addresses.get(address);
    if (queue) queue.push(work);
    else network.addresses.set(address, [work]);
    network.waiting++;
    this.waiting++;
  }

  private ended(name: string, network: Network): void {
    this.running--;
    network.running--;
    this.forget(name, network);
    for (const [next, other] of this.networks)
      if (other.waiting > 0 && this.mayRun(other)) {
        // its next turn comes after those of all others
        this.networks.delete(next);
        this.networks.set(next, other);
        this.takeFirst(other).start();
        return;
      }
  }

  private forget(name: string, { running, waiting }: Network): void {
    if (running === 0 && waiting === 0) this.networks.delete(name);
  }

  private takeFirst(network: Network): Waiting {
    const [address, queue] = network.addresses.entries().next().value!;
    network.addresses.delete(address);
    const work = queue.shift()!;
    if (queue.length > 0) network.addresses.set(address, queue);
    network.waiting--;
    this.waiting--;
    return work;
  }

  private refuseLast(network: Network): void {
    let [longest, most] = network.addresses.entries().next().value!;
    for (const [address, queue] of network.addresses)
      if (queue.length > most.length) [longest, most] = [address, queue];
    const work = most.pop()!;
    if (most.length === 0) network.addresses.delete(longest);
    network.waiting--;
    this.waiting--;
    work.refuse();
  }
}

/**
 * The work source of a client's address. One client may own a whole /48 network of IPv6, so the
 * addresses in it also share that network's limits.
 * @param address an IPv4 address, or the /64 network of an IPv6 address, as `clientAddress` gives it
 */
export function remoteAddress(address: string): WorkSource {
  const start = /^(\w+:\w+:\w+):\w+::\/64$/.exec(address)?.[1];
  return { address, network: start === undefined ? address : `${start}::/48` };
}
