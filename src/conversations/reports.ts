import { messageOf } from '../errors.js';
import type { TitleReports } from './title-writer.js';
import type { TurnEnd, TurnQueueReports } from './turn-queue.js';

/** The reports of stored conversations. */
export interface ConversationReports {
  readonly turns: TurnQueueReports;
  readonly titles: TitleReports;
}

interface TurnCounts {
  turnsLost(turns: number): void;
  turnsLate(end: TurnEnd, turns: number): void;
}

/** A log with pino's signatures. */
interface Lines {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The log line for each way in which a late turn ends. */
const lateLines: Record<Exclude<TurnEnd, 'lost'>, string> = {
  stored:
    'conversation turns are stored late: their answers said conversationStored: false, because the database was slow or away',
  gone: 'late conversation turns are not stored: their account has no such conversation',
};

/** Writes reports to a log, and counts lost and late turns. Never titles or messages. */
export const conversationReports = (logger: Lines, counts: TurnCounts): ConversationReports => ({
  turns: {
    lost(turns, why) {
      counts.turnsLost(turns);
      logger.error({ turns }, `conversation turns are lost: ${why}`);
    },
    late(end, turns, waitedMs) {
      counts.turnsLate(end, turns);
      if (end !== 'lost') logger.warn({ turns, waitedMs }, lateLines[end]);
    },
    away(isAway, cause) {
      if (isAway)
        logger.warn({ reason: messageOf(cause) }, 'conversation turns wait for the database');
      else logger.info({}, 'the database is back: the waiting conversation turns are being stored');
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
});
