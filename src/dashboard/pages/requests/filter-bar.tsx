import { Button, Group, NumberInput, Select, TagsInput, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useModelLabels } from '../../api/queries.js';
import { useParameters } from '../../components/search-parameters.js';
import { texts } from '../../texts/texts.js';
import { isFiltered, maxModels, modelsOf, spanOf, spans, withoutFilters } from './filters.js';
import { optionsOf } from '../../components/elements.js';

/** `vite.config.ts` writes them here, from the API's schema. */
declare const requestSurfaces: readonly string[];

const text = texts.requests;
/** Until a text that is being typed is searched for. */
const typingMs = 400;

const outcomes = optionsOf({
  'failed=false': text.outcomes.answered,
  'failed=true': text.outcomes.failed,
  'status=4xx': text.outcomes.refused,
  'status=429': text.outcomes.limited,
  'status=5xx': text.outcomes.broken,
});

/** The filters, which stand in the address. */
export function FilterBar({ isAdmin }: { isAdmin: boolean }) {
  const [parameters, change] = useParameters();
  const { failed, status, from } = parameters;
  const outcome = failed ? `failed=${failed}` : status ? `status=${status}` : null;
  return (
    <Group gap="sm" align="flex-end">
      <Select
        size="xs"
        w={110}
        label={text.time}
        value={from ? null : spanOf(parameters.range)}
        placeholder={text.selected}
        data={Object.keys(spans)}
        allowDeselect={false}
        onChange={(range) =>
          change({ range: range === '24h' ? null : range, from: null, to: null })
        }
      />
      <Select
        size="xs"
        w={150}
        label={text.outcome}
        value={outcome}
        placeholder={text.any}
        data={outcomes}
        clearable
        onChange={(value) => {
          const [name, wanted] = value?.split('=') ?? [];
          change({ failed: null, status: null, ...(name ? { [name]: wanted ?? null } : {}) });
        }}
      />
      <ModelFilter />
      <KeyFilter />
      <Select
        size="xs"
        w={140}
        label={text.surface}
        value={parameters.surface ?? null}
        placeholder={text.any}
        data={requestSurfaces}
        clearable
        onChange={(surface) => change({ surface })}
      />
      <SlowerThan />
      {isAdmin ? (
        <Select
          size="xs"
          w={120}
          label={text.whose}
          value={parameters.account === 'own' ? 'own' : 'all'}
          data={optionsOf({ all: text.everybody, own: text.own })}
          allowDeselect={false}
          onChange={(account) => change({ account: account === 'own' ? account : null })}
        />
      ) : null}
      {isFiltered(parameters) ? (
        <Button size="xs" variant="subtle" onClick={() => change(withoutFilters)}>
          {text.clear}
        </Button>
      ) : null}
    </Group>
  );
}

/** One or several models: those that can be called, and any other that is typed. */
function ModelFilter() {
  const [parameters, change] = useParameters();
  const labels = useModelLabels();
  const chosen = modelsOf(parameters);
  return (
    <TagsInput
      size="xs"
      w={220}
      label={text.models}
      placeholder={chosen.length === 0 ? text.any : text.another}
      data={[...labels]}
      limit={20}
      maxTags={maxModels}
      value={chosen}
      onChange={(models) => change({ model: models.join(',') })}
    />
  );
}

/** Typed. Another value from outside, such as “clear”, makes a new field. */
function KeyFilter() {
  const [parameters, change] = useParameters();
  const search = useDebouncedCallback((key: string) => change({ key: key.trim() }), typingMs);
  const value = parameters.key ?? '';
  return (
    <TextInput
      key={value === '' ? 'empty' : 'set'}
      size="xs"
      w={120}
      label={text.key}
      placeholder={text.any}
      defaultValue={value}
      onChange={({ currentTarget }) => search(currentTarget.value)}
    />
  );
}

function SlowerThan() {
  const [parameters, change] = useParameters();
  const search = useDebouncedCallback(
    (value: string | number) => change({ minLatency: value === '' ? null : String(value) }),
    typingMs,
  );
  const value = parameters.minLatency ?? '';
  return (
    <NumberInput
      key={value === '' ? 'empty' : 'set'}
      size="xs"
      w={120}
      label={text.slowerThan}
      placeholder={text.any}
      suffix=" ms"
      min={0}
      hideControls
      defaultValue={value}
      onChange={search}
    />
  );
}
