import { Alert, Button, FileButton, Group, Stack, Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useModelLabels } from '../../components/model-labels.js';
import { Failure } from '../../components/loaded.js';
import { fill, texts } from '../../texts/texts.js';
import {
  type Column,
  type FilePreview,
  guessColumns,
  mappingOf,
  previewBytes,
  previewOf,
  problemOf,
} from './column-mapping.js';
import { MappingTable } from './mapping-table.js';
import { startTraining, useRefresh } from './queries.js';

const text = texts.preferences;

interface Chosen {
  readonly file: File;
  readonly format: FilePreview['format'];
  readonly columns: readonly Column[];
}

async function chosenOf(file: File, labels: readonly string[]): Promise<Chosen> {
  const beginning = await file.slice(0, previewBytes).text();
  const preview = previewOf(beginning, file.size <= previewBytes);
  return { file, format: preview.format, columns: guessColumns(preview, labels) };
}

/** Uploads evaluations, or trains from the evaluation set alone. */
export function TrainingUpload({ id }: { id: string }) {
  const labels = useModelLabels();
  const refresh = useRefresh();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [isLower, setLower] = useState(false);
  const [hasSet, setHasSet] = useState(false);
  const problem = chosen?.format === 'csv' ? problemOf(chosen.columns) : null;
  const training = useMutation({
    mutationFn: () => startTraining(id, formOf(chosen, isLower, hasSet)),
    onSuccess: () => refresh.training(id),
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
        <Switch
          label={chosen ? text.alsoSet : text.onlySet}
          checked={hasSet}
          onChange={({ currentTarget }) => setHasSet(currentTarget.checked)}
        />
        <Switch
          label={text.lowerIsBetter}
          checked={isLower}
          onChange={({ currentTarget }) => setLower(currentTarget.checked)}
        />
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

function FileChoice({
  chosen,
  choose,
}: {
  chosen: Chosen | null;
  choose: (file: File | null) => void;
}) {
  return (
    <Stack gap={6} align="flex-start">
      <FileButton onChange={choose} accept=".csv,.jsonl,.ndjson,text/csv">
        {(props) => (
          <Button variant="default" {...props}>
            {chosen ? text.otherFile : text.chooseFile}
          </Button>
        )}
      </FileButton>
      <Text size="sm" c="dimmed">
        {chosen
          ? fill(text.fileChosen, {
              name: chosen.file.name,
              size: Math.ceil(chosen.file.size / 1_024),
            })
          : text.chooseFileHint}
      </Text>
      {chosen?.format === 'jsonl' ? <Text size="sm">{text.jsonLines}</Text> : null}
    </Stack>
  );
}
