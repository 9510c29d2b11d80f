import { Checkbox, Group, SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, dataOf } from '../../api/client.js';
import { ActDialog } from '../../components/dialog.js';
import { NumberField, typed } from '../../components/fields.js';
import { fill, texts } from '../../texts/texts.js';
import { type ApiKey, emptyTerms, type FormTerms, formTermsOf, requestOf } from './key-terms.js';
import { type LimitName, limitNames, type Limits } from '../../format/limits.js';
import { formatCount } from '../../format/numbers.js';
import { useModelLabels, useRead } from '../../api/queries.js';
import { optionsOf } from '../../components/elements.js';

const text = texts.keys;

const scopes = optionsOf(text.scopeNames);

interface KeyFormProps {
  /** The key that is changed; null: a new one is made. */
  edited: ApiKey | null;
  close: () => void;
  onSaved?: (key: ApiKey) => void;
}

function save(edited: ApiKey | null, terms: FormTerms): Promise<ApiKey> {
  const body = requestOf(terms, edited);
  return edited === null
    ? dataOf(api.POST('/api/v1/keys', { body }))
    : dataOf(api.PATCH('/api/v1/keys/{id}', { params: { path: { id: edited.id } }, body }));
}

/** The form of a new key, or of a key's terms. */
export function KeyForm({ edited, close, onSaved }: KeyFormProps) {
  const [terms, setTerms] = useState<FormTerms>(edited ? formTermsOf(edited) : emptyTerms);
  const title = edited ? fill(text.editTitle, { name: edited.name }) : texts.common.createKey;
  return (
    <ActDialog
      title={title}
      size="lg"
      label={edited ? undefined : texts.common.createKey}
      act={async (leave) => {
        const key = await save(edited, terms);
        leave();
        onSaved?.(key);
      }}
      close={close}
    >
      <TermFields terms={terms} change={(changed) => setTerms({ ...terms, ...changed })} />
    </ActDialog>
  );
}

interface TermFieldsProps {
  terms: FormTerms;
  change: (changed: Partial<FormTerms>) => void;
}

/** For how many of their longest answers a budget pays, of the models that chat best. */
function useBudgetWords(): (limit: LimitName, usd: number | null) => string | null {
  const query = { use: 'auto', sort: 'quality', limit: 3 } as const;
  const { data } = useRead('/api/v1/models', { query }, { staleTime: 60_000 });
  return (limit, usd) => {
    if (usd === null || !limit.endsWith('Usd')) return null;
    const calls = (data?.items ?? []).flatMap(({ id, longestAnswerUsd: each }) => {
      const count = each ? formatCount(Math.floor(usd / each)) : null;
      return count === null ? [] : [fill(text.budgetCalls, { count, model: id })];
    });
    return calls.length === 0 ? null : fill(text.budgetPays, { calls: calls.join(', ') });
  };
}

interface LimitFieldsProps {
  limits: Limits;
  change: (changed: Partial<Limits>) => void;
}

/** The limits of a key or an account. */
export function LimitFields({ limits, change }: LimitFieldsProps) {
  const budgetWords = useBudgetWords();
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      {limitNames.map((limit) => (
        <NumberField
          key={limit}
          label={text[limit]}
          description={budgetWords(limit, limits[limit]) ?? text.limitHint}
          min={limit.endsWith('Usd') ? 0 : 1}
          allowDecimal={limit.endsWith('Usd')}
          thousandSeparator=","
          value={limits[limit]}
          change={(value) => change({ [limit]: value })}
        />
      ))}
    </SimpleGrid>
  );
}

function TermFields({ terms, change }: TermFieldsProps) {
  const labels = useModelLabels();
  return (
    <>
      <TextInput
        label={texts.common.name}
        description={text.nameHint}
        required
        maxLength={200}
        data-autofocus
        {...typed(terms.name, (name) => change({ name }))}
      />
      <Checkbox.Group
        label={text.scopes}
        value={terms.scopes}
        onChange={(chosen) => change({ scopes: chosen })}
        required
      >
        <Group mt={4}>
          {scopes.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </Group>
      </Checkbox.Group>
      <TagsInput
        label={text.models}
        description={text.modelsHint}
        data={[...labels]}
        limit={20}
        value={terms.models}
        onChange={(models) => change({ models })}
      />
      <TagsInput
        label={texts.common.toolkits}
        description={text.toolkitsHint}
        value={terms.toolkits}
        onChange={(toolkits) => change({ toolkits })}
      />
      <LimitFields limits={terms} change={change} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberField
          label={text.economy}
          description={text.economyHint}
          min={0}
          max={10}
          value={terms.economy}
          change={(economy) => change({ economy })}
        />
        <TextInput
          label={text.expiry}
          description={text.expiryHint}
          type="date"
          {...typed(terms.expiresOn, (expiresOn) => change({ expiresOn }))}
        />
      </SimpleGrid>
    </>
  );
}
