import { Anchor, Button, Group, Stack, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { api, basePath, type Schema } from '../../api/client.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { Empty } from '../../components/empty.js';
import { Failure, Loading } from '../../components/loaded.js';
import { MoreButton } from '../../components/more-button.js';
import { Page } from '../../components/page.js';
import { formatAgo } from '../../format/times.js';
import { texts } from '../../texts/texts.js';
import { AddPrompt, EditScores } from './evaluation-dialogs.js';
import { useEvaluations, useRefresh } from './queries.js';
import { scoresText } from './score-text.js';
import { ScrollingTable } from './scrolling-table.js';

const text = texts.preferences;
type Evaluation = Schema<'EvaluationResponse'>;

/** The evaluation set: its prompts, their scores, export and deletion. */
export function EvaluationSet() {
  const query = useEvaluations();
  const rows = query.data?.pages.flatMap(({ items }) => items);
  return (
    <Page
      title={text.set.title}
      lead={text.set.lead}
      actions={
        <>
          <Anchor component={Link} href="/preferences" size="sm">
            {text.back}
          </Anchor>
          {rows?.length ? <ExportButton /> : null}
          <AddPrompt />
        </>
      }
    >
      {rows ? (
        <Rows rows={rows} />
      ) : query.error ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Loading />
      )}
      <MoreButton query={query} label={text.more} />
    </Page>
  );
}

const ExportButton = () => (
  <Button
    component="a"
    variant="default"
    href={`${basePath}/api/v1/evaluations?format=csv`}
    download
  >
    {text.set.export}
  </Button>
);

function Rows({ rows }: { rows: readonly Evaluation[] }) {
  const { set } = text;
  if (rows.length === 0) return <Empty title={set.emptyTitle} hint={set.emptyHint} />;
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {set.trainHint}
      </Text>
      <ScrollingTable least={680} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {[set.prompt, set.scores, set.added].map((label) => (
              <Table.Th key={label}>{label}</Table.Th>
            ))}
            <Table.Th />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </Table.Tbody>
      </ScrollingTable>
    </Stack>
  );
}

function Row({ row }: { row: Evaluation }) {
  const refresh = useRefresh();
  const { set } = text;
  return (
    <Table.Tr>
      <Table.Td maw={380}>
        <Text size="sm" lineClamp={2}>
          {row.prompt}
        </Text>
        {row.requestId === null ? null : (
          <Anchor component={Link} href={`/requests/${row.requestId}`} size="xs">
            {set.request}
          </Anchor>
        )}
      </Table.Td>
      <Table.Td maw={260}>
        <Text size="sm" c={Object.keys(row.scores).length > 0 ? undefined : 'dimmed'}>
          {scoresText(row.scores) || set.noScores}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm" c="dimmed">
          {formatAgo(row.createdAt)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          <EditScores row={row} />
          <ConfirmButton
            label={set.remove}
            question={set.removeQuestion}
            act={async () => {
              await api.DELETE('/api/v1/evaluations/{id}', { params: { path: { id: row.id } } });
              await refresh.evaluations();
            }}
          />
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
