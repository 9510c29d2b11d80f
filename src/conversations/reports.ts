import type { TitleReports } from './title-writer.js';
import type { TurnQueueReports } from './turn-queue.js';

/** The reports of stored conversations. */
export interface ConversationReports {
  readonly turns: TurnQueueReports;
  readonly titles: TitleReports;
}

/** A log with pino's signatures. */
interface Lines {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/**
 * Writes the reports to a log, and counts lost turns. The log never contains titles or messages.
 */
export function conversationReports(
  logger: Lines,
  countLost: (turns: number) => void,
): ConversationReports {
  return {
    turns: {
      lost(turns, why) {
        countLost(turns);
        logger.error({ turns }, `conversation turns are lost: ${why}`);
      },
      away(isAway, cause) {
        if (isAway)
          logger.warn({ reason: messageOf(cause) }, 'conversation turns wait for the database');
        else logger.info({}, 'the database is back: the waiting conversation turns are stored');
      },
    },
    titles: {
      // logged separately, because no client's request contains its cost
      written({ model, usage, costUsd }) {
        logger.info(
          {
            model,
            promptTokens: usage?.promptTokens,
            completionTokens: usage?.completionTokens,
            costUsd,
          },
          'conversation title',
        );
      },
      failed(error) {
        logger.warn(
          { reason: messageOf(error) },
          'no title was written: a conversation keeps its derived title',
        );
      },
    },
  };
}
