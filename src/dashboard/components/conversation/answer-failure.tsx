import { Alert, Stack, Table, Text } from '@mantine/core';
import { formatMs } from '../../format/times.js';
import { texts } from '../../texts/texts.js';
import { WideTable } from '../wide-table.js';
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

/** The attempts that failed, oldest first. */
export function Attempts({ trace }: { trace: readonly TraceEntry[] }) {
  if (trace.length === 0) return null;
  return (
    <WideTable label={words.attempts} minWidth={360}>
      <Table fz="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.oneModel}</Table.Th>
            <Table.Th>{words.error}</Table.Th>
            <Table.Th ta="right">{words.status}</Table.Th>
            <Table.Th ta="right">{words.latency}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {trace.map(({ provider, model, error, status, latency }, index) => (
            <Table.Tr key={index}>
              <Table.Td className="text-plain">{`${provider}/${model}`}</Table.Td>
              <Table.Td className="text-plain">{error}</Table.Td>
              <Table.Td ta="right">{status ?? '–'}</Table.Td>
              <Table.Td ta="right">{formatMs(latency)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
