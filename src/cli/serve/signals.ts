import { closeSync, openSync } from 'node:fs';

/** What signals ask of a process. */
export interface Control {
  /** The process ends when it is done, with 1 if it fails. */
  stop(): Promise<void>;
  /** Reads the configuration file again; null: there is none. */
  readonly reload: (() => void) | null;
}

/**
 * Stops on SIGTERM and SIGINT, at once on a second one; reloads on SIGHUP, which also comes when the
 * terminal of the process is closed: then it stops.
 */
export function onSignals({ stop, reload }: Control): void {
  let stopping = false;
  const onSignal = (): void => {
    // a second signal stops at once
    if (stopping) process.exit(1);
    stopping = true;
    endWith(stop());
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  if (reload !== null)
    process.on('SIGHUP', () => {
      if (hasLostTerminal()) process.kill(process.pid, 'SIGTERM');
      else reload();
    });
}

/** Ends the process when the work is done, with 1 if it fails. */
export function endWith(work: Promise<void>): void {
  void work.then(
    () => process.exit(0),
    () => process.exit(1),
  );
}

/** Whether the terminal at which the process was started has been closed, which sends SIGHUP too. */
function hasLostTerminal(): boolean {
  if (!process.stdout.isTTY) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}
