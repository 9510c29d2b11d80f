import type { TitleReports } from './title-writer.js';
import type { TurnQueueReports } from './turn-queue.js';

/** What the keeping of conversations tells of itself. */
export interface ConversationReports {
  readonly turns: TurnQueueReports;
  readonly titles: TitleReports;
}

/** A log that takes fields and a message, as pino does. */
interface Lines {
  info(fields: object | string, message?: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Reports as lines of a log; lost turns are counted too. Never a title, never what was said. */
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
        else logger.info('the database is back: the conversation turns that waited are stored');
      },
    },
    titles: {
      // nobody's request pays for it, so it has a line of its own
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
        logger.warn({ reason: messageOf(error) }, 'a conversation keeps its derived title');
      },
    },
  };
}
