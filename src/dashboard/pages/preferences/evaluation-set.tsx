import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { api, basePath, type Schema } from '../../api/client.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { Empty, Paged } from '../../components/loaded.js';
import { type Column, ListTable } from '../../components/list-table.js';
import { Page } from '../../components/page.js';
import { formatAgo } from '../../format/times.js';
import { texts } from '../../texts/texts.js';
import { AddPrompt, EditScores } from './evaluation-dialogs.js';
import { useEvaluations, useRefresh } from './queries.js';
import { scoresText } from './score-text.js';

const text = texts.preferences;
type Evaluation = Schema<'EvaluationResponse'>;

/** The evaluation set: its prompts, their scores, export and deletion. */
export function EvaluationSet() {
  const list = useEvaluations();
  return (
    <Page
      title={text.set.title}
      lead={text.set.lead}
      actions={
        <>
          <Anchor component={Link} href="/preferences" size="sm">
            {text.back}
          </Anchor>
          {list.items?.length ? <ExportButton /> : null}
          <AddPrompt />
        </>
      }
    >
      <Paged list={list} more={text.more}>
        {(rows) => <Rows rows={rows} />}
      </Paged>
    </Page>
  );
}

const ExportButton = () => (
  <Button
    component="a"
    size="xs"
    variant="default"
    href={`${basePath}/api/v1/evaluations?format=csv`}
    download
  >
    {text.set.export}
  </Button>
);

const { set } = text;

const columns: readonly Column<Evaluation>[] = [
  { label: set.prompt, cell: (row) => <Prompt row={row} /> },
  { label: set.scores, cell: ({ scores }) => scoresText(scores) || set.noScores },
  { label: set.added, cell: ({ createdAt }) => formatAgo(createdAt) },
  { label: texts.common.actions, cell: (row) => <Actions row={row} />, isHeadHidden: true },
];

function Rows({ rows }: { rows: readonly Evaluation[] }) {
  if (rows.length === 0) return <Empty title={set.emptyTitle} hint={set.emptyHint} />;
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {set.trainHint}
      </Text>
      <ListTable
        label={set.title}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        minWidth={680}
      />
    </Stack>
  );
}

const Prompt = ({ row: { prompt, requestId } }: { row: Evaluation }) => (
  <>
    <Text size="sm" lineClamp={2}>
      {prompt}
    </Text>
    {requestId === null ? null : (
      <Anchor component={Link} href={`/requests/${requestId}`} size="xs">
        {set.request}
      </Anchor>
    )}
  </>
);

function Actions({ row }: { row: Evaluation }) {
  const refresh = useRefresh();
  return (
    <Group gap="xs" justify="flex-end">
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
  );
}
