import { Alert, Stack, Text } from '@mantine/core';
import { unknownValue } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { texts } from '../../texts/texts.js';
import { type Column, ListTable } from '../list-table.js';
import type { Failed, TraceEntry } from './answer.js';

const { playground: words } = texts;

/** What went wrong, in the provider's words, with every attempt. */
export const AnswerFailure = ({ failed: { message, trace } }: { failed: Failed }) => (
  <Alert color="red" title={words.failed} role="alert">
    <Stack gap="xs">
      <Text size="sm" className="text-plain">
        {message}
      </Text>
      <Attempts trace={trace} />
    </Stack>
  </Alert>
);

const columns: readonly Column<TraceEntry>[] = [
  { label: words.oneModel, cell: ({ provider, model }) => `${provider}/${model}` },
  { label: words.error, cell: ({ error }) => error },
  { label: words.status, cell: ({ status }) => status ?? unknownValue, isFigure: true },
  { label: words.latency, cell: ({ latency }) => formatMs(latency), isFigure: true },
];

/** The attempts that failed, oldest first. */
export const Attempts = ({ trace }: { trace: readonly TraceEntry[] }) =>
  trace.length === 0 ? null : (
    <ListTable
      label={words.attempts}
      columns={columns}
      rows={trace}
      keyOf={(_entry, index) => index}
      minWidth={360}
      fz="xs"
    />
  );
