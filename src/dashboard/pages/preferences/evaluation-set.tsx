import { Autocomplete, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Hint, Note, PageLink, PlainText, SmallButton } from '../../components/elements.js';
import { api, basePath } from '../../api/client.js';
import type { Schema } from '../../api/schema.js';
import { ConfirmButton, DialogButton } from '../../components/dialog.js';
import { Empty, Paged } from '../../components/loaded.js';
import { NumberField, typed } from '../../components/fields.js';
import { type Column, ListTable, column, actionsColumn } from '../../components/list-table.js';
import { Page } from '../../components/page.js';
import { formatAgo } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { scoreChanges, scoresText } from './score-text.js';
import { read, useModelLabels, usePagedList } from '../../api/queries.js';

const text = texts.preferences;
const { set } = text;
type Evaluation = Schema<'EvaluationResponse'>;

/** The evaluation set: its prompts, their scores, export and deletion. */
export function EvaluationSet() {
  const list = usePagedList(['evaluations'], (page) =>
    read('/api/v1/evaluations', { query: page }),
  );
  return (
    <Page
      title={texts.common.evaluationSet}
      lead={text.set.lead}
      actions={
        <>
          <PageLink href="/preferences">{text.back}</PageLink>
          {list.data?.length ? (
            <SmallButton component="a" href={`${basePath}/api/v1/evaluations?format=csv`} download>
              {texts.common.exportCsv}
            </SmallButton>
          ) : null}
          <AddPrompt />
        </>
      }
    >
      <Paged list={list}>{(rows) => <Rows rows={rows} />}</Paged>
    </Page>
  );
}

const columns: readonly Column<Evaluation>[] = [
  column(texts.common.prompt, (row) => <Prompt row={row} />),
  column(texts.common.scores, ({ scores }) => scoresText(scores) || set.noScores),
  column(set.added, ({ createdAt }) => formatAgo(createdAt)),
  actionsColumn((row) => <Actions row={row} />),
];

function Rows({ rows }: { rows: readonly Evaluation[] }) {
  if (rows.length === 0) return <Empty title={set.emptyTitle} hint={set.emptyHint} />;
  return (
    <Stack gap="xs">
      <Hint>{set.trainHint}</Hint>
      <ListTable label={texts.common.evaluationSet} columns={columns} rows={rows} minWidth={680} />
    </Stack>
  );
}

const Prompt = ({ row: { prompt, requestId } }: { row: Evaluation }) => (
  <>
    <Text size="sm" lineClamp={2}>
      {prompt}
    </Text>
    {requestId === null ? null : (
      <PageLink href={`/requests/${requestId}`} size="xs">
        {texts.common.request}
      </PageLink>
    )}
  </>
);

const Actions = ({ row }: { row: Evaluation }) => (
  <Group gap="xs" justify="flex-end">
    <EditScores row={row} />
    <ConfirmButton
      label={texts.common.delete}
      question={set.removeQuestion}
      act={() => api.DELETE('/api/v1/evaluations/{id}', { params: { path: { id: row.id } } })}
    />
  </Group>
);

type Scores = Readonly<Record<string, number>>;
/** While they are edited. Null: its field is empty. */
type EditedScores = Readonly<Record<string, number | null>>;

/** A dialog that adds a prompt of one's own. */
function AddPrompt() {
  const [prompt, setPrompt] = useState('');
  return (
    <ScoreDialog
      label={set.add}
      scores={{}}
      isReady={prompt.trim() !== ''}
      save={async (scores) => {
        await api.POST('/api/v1/evaluations', { body: { prompt, scores: { ...scores } } });
        setPrompt('');
      }}
    >
      <Textarea
        label={texts.common.prompt}
        autosize
        minRows={3}
        maxRows={10}
        {...typed(prompt, setPrompt)}
      />
    </ScoreDialog>
  );
}

/** A dialog that changes the scores of a prompt. */
const EditScores = ({ row }: { row: Evaluation }) => (
  <ScoreDialog
    label={texts.common.scores}
    title={set.editTitle}
    scores={row.scores}
    isReady
    save={async (after) => {
      const scores = scoreChanges(row.scores, after);
      if (scores)
        await api.PATCH('/api/v1/evaluations/{id}', {
          params: { path: { id: row.id } },
          body: { scores },
        });
    }}
  >
    <PlainText lineClamp={6}>{row.prompt}</PlainText>
  </ScoreDialog>
);

interface ScoreDialogProps {
  label: string;
  title?: string;
  scores: Scores;
  isReady: boolean;
  save: (scores: Scores) => Promise<void>;
  children: ReactNode;
}

function ScoreDialog({ scores, isReady, save, children, ...words }: ScoreDialogProps) {
  const [draft, setDraft] = useState<EditedScores>(scores);
  const given = Object.entries(draft).filter((one): one is [string, number] => one[1] !== null);
  return (
    <DialogButton
      {...words}
      end={{ isReady }}
      onOpen={() => setDraft(scores)}
      act={() => save(Object.fromEntries(given))}
    >
      {children}
      <ScoreFields scores={draft} change={setDraft} />
    </DialogButton>
  );
}

interface ScoreFieldsProps {
  scores: EditedScores;
  change: (scores: EditedScores) => void;
}

function ScoreFields({ scores, change }: ScoreFieldsProps) {
  const labels = useModelLabels();
  const [model, setModel] = useState('');
  const name = model.trim();
  const add = (): void => {
    change({ ...scores, [name]: 1 });
    setModel('');
  };
  const without = (label: string): EditedScores =>
    Object.fromEntries(Object.entries(scores).filter(([one]) => one !== label));
  return (
    <Stack gap="xs">
      <Note>{set.scale}</Note>
      {Object.entries(scores).map(([label, score]) => (
        <Group key={label} gap="xs" align="flex-end" wrap="nowrap">
          <NumberField
            label={label}
            flex={1}
            value={score}
            step={0.1}
            change={(value) => change({ ...scores, [label]: value })}
          />
          <Button
            variant="default"
            aria-label={fill(set.removeScore, { model: label })}
            onClick={() => change(without(label))}
          >
            ×
          </Button>
        </Group>
      ))}
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <Autocomplete
          label={texts.common.model}
          flex={1}
          data={[...labels]}
          limit={20}
          value={model}
          onChange={setModel}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
        <Button
          variant="default"
          disabled={name === '' || Object.hasOwn(scores, name)}
          onClick={add}
        >
          {set.addModel}
        </Button>
      </Group>
    </Stack>
  );
}
