import type { ResearchClock } from './research-clock.js';

/**
 * Saves what is newest, one save at a time: what changes during a save is saved after it. A save
 * that fails ends nothing; the next one has all that it had.
 */
export class NotesSaver {
  private isWanted = false;
  private saving: Promise<void> | null = null;

  /** @param saveNow reads what is to be saved before it returns */
  constructor(
    private readonly saveNow: () => Promise<void>,
    private readonly clock: ResearchClock,
  ) {}

  /** Saves soon. */
  save(): void {
    this.isWanted = true;
    this.saving ??= this.run();
  }

  /** Waits until all is saved. */
  async flush(): Promise<void> {
    while (this.saving) await this.saving;
  }

  /** The same, but not for longer. */
  flushWithin(maxMs: number): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = this.clock.after(maxMs, resolve);
      void this.flush().then(() => {
        stopTimer();
        resolve();
      });
    });
  }

  private async run(): Promise<void> {
    while (this.isWanted) {
      this.isWanted = false;
      try {
        await this.saveNow();
      } catch {
        // the run goes on without it
      }
    }
    this.saving = null;
  }
}
