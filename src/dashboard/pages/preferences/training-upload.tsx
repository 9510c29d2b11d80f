import {
  Alert,
  Autocomplete,
  Button,
  FileButton,
  Group,
  NativeSelect,
  Stack,
  Switch,
  Text,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Caption, Hint, optionsOf } from '../../components/elements.js';
import { useModelLabels } from '../../api/queries.js';
import { Failure } from '../../components/loaded.js';
import { fill, texts } from '../../texts/texts.js';
import {
  type Column,
  guessColumns,
  isFigure,
  mappingOf,
  previewBytes,
  previewOf,
  problemOf,
  type Role,
} from './column-mapping.js';
import { startTraining } from './queries.js';
import { type Column as TableColumn, ListTable, column } from '../../components/list-table.js';
import { switched } from '../../components/fields.js';

const text = texts.preferences;

type Chosen = Awaited<ReturnType<typeof chosenOf>>;

async function chosenOf(file: File, labels: readonly string[]) {
  const beginning = await file.slice(0, previewBytes).text();
  const preview = previewOf(beginning, file.size <= previewBytes);
  return { file, format: preview.format, columns: guessColumns(preview, labels) };
}

/** Uploads evaluations, or trains from the evaluation set alone. */
export function TrainingUpload({ id }: { id: string }) {
  const labels = useModelLabels();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [isLower, setLower] = useState(false);
  const [hasSet, setHasSet] = useState(false);
  const problem = chosen?.format === 'csv' ? problemOf(chosen.columns) : null;
  const training = useMutation({
    mutationFn: () => startTraining(id, formOf(chosen, isLower, hasSet)),
  });
  const choose = async (file: File | null): Promise<void> => {
    training.reset();
    setChosen(file && (await chosenOf(file, labels)));
  };
  return (
    <Stack gap="md">
      <FileChoice chosen={chosen} choose={(file) => void choose(file)} />
      {chosen?.format === 'csv' ? (
        <MappingTable
          columns={chosen.columns}
          labels={labels}
          change={(columns) => setChosen({ ...chosen, columns })}
        />
      ) : null}
      {problem ? <Alert color="red">{text.problems[problem]}</Alert> : null}
      <Group gap="lg">
        <Switch label={chosen ? text.alsoSet : text.onlySet} {...switched(hasSet, setHasSet)} />
        <Switch label={text.lowerIsBetter} {...switched(isLower, setLower)} />
      </Group>
      {training.error ? <Failure error={training.error} /> : null}
      <Group>
        <Button
          disabled={problem !== null || (chosen === null && !hasSet)}
          loading={training.isPending}
          onClick={() => training.mutate()}
        >
          {text.train}
        </Button>
      </Group>
    </Stack>
  );
}

function formOf(chosen: Chosen | null, isLower: boolean, hasSet: boolean): FormData {
  const form = new FormData();
  if (chosen) form.set('file', chosen.file, chosen.file.name);
  if (chosen?.format === 'csv') form.set('mapping', mappingOf(chosen.columns));
  if (isLower) form.set('maximize', 'false');
  if (hasSet) form.set('evaluations', 'true');
  return form;
}

interface FileChoiceProps {
  chosen: Chosen | null;
  choose: (file: File | null) => void;
}

const FileChoice = ({ chosen, choose }: FileChoiceProps) => (
  <Stack gap={6} align="flex-start">
    <FileButton onChange={choose} accept=".csv,.jsonl,.ndjson,text/csv">
      {(props) => (
        <Button variant="default" {...props}>
          {chosen ? text.otherFile : text.chooseFile}
        </Button>
      )}
    </FileButton>
    <Hint>
      {chosen
        ? fill(text.fileChosen, {
            name: chosen.file.name,
            size: Math.ceil(chosen.file.size / 1_024),
          })
        : text.chooseFileHint}
    </Hint>
    {chosen?.format === 'jsonl' ? <Text size="sm">{text.jsonLines}</Text> : null}
  </Stack>
);

interface MappingProps {
  columns: readonly Column[];
  labels: readonly string[];
  change: (columns: Column[]) => void;
}

/** The first cells of each column, and what the column means. */
function MappingTable({ columns, labels, change }: MappingProps) {
  const changeOf =
    (changed: Column) =>
    (changes: Partial<Column>): void =>
      change(columns.map((one) => (one === changed ? { ...one, ...changes } : one)));
  const shown: readonly TableColumn<Column>[] = [
    column(text.column, ({ name }) => <span className="text-plain">{name}</span>),
    column(text.firstCells, ({ samples }) => (
      <Hint lineClamp={2} maw={260}>
        {samples.slice(0, 3).join(' · ')}
      </Hint>
    )),
    column(text.meaning, (column) => (
      <NativeSelect
        size="xs"
        aria-label={fill(text.meaningOf, { name: column.name })}
        data={optionsOf(text.roles)}
        value={column.role}
        onChange={({ currentTarget: { value } }) =>
          changeOf(column)({ role: value as Role, model: column.model || column.name })
        }
      />
    )),
    column(texts.common.model, (column) =>
      isFigure(column.role) ? (
        <Autocomplete
          size="xs"
          aria-label={fill(text.modelOf, { name: column.name })}
          data={[...labels]}
          limit={20}
          value={column.model}
          onChange={(label) => changeOf(column)({ model: label })}
        />
      ) : null,
    ),
  ];
  return (
    <Stack gap="xs">
      <Caption>{text.mapping}</Caption>
      <ListTable
        label={text.mapping}
        columns={shown}
        rows={columns}
        minWidth={640}
        maxHeight={420}
      />
    </Stack>
  );
}
