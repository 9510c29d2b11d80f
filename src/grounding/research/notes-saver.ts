/**
 * Saves what is newest, one save at a time: what changes during a save is saved after it. A save
 * that fails ends nothing; the next one has all that it had.
 */
export class NotesSaver {
  private isWanted = false;
  private saving: Promise<void> | null = null;

  /** @param saveNow reads what is to be saved before it returns */
  constructor(private readonly saveNow: () => Promise<void>) {}

  /** Saves soon. */
  save(): void {
    this.isWanted = true;
    this.saving ??= this.run();
  }

  /** Waits until all is saved. */
  async flush(): Promise<void> {
    while (this.saving) await this.saving;
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
