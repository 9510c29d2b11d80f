import { Autocomplete, NativeSelect, Stack, Text } from '@mantine/core';
import { type Column as TableColumn, ListTable } from '../../components/list-table.js';
import { fill, texts } from '../../texts/texts.js';
import { type Column, isFigure, type Role } from './column-mapping.js';

const text = texts.preferences;
const roles = Object.entries(text.roles).map(([value, label]) => ({ value, label }));

interface MappingProps {
  columns: readonly Column[];
  labels: readonly string[];
  change: (columns: Column[]) => void;
}

/** The first cells of each column, and what the column means. */
export function MappingTable({ columns, labels, change }: MappingProps) {
  const changeOf =
    (changed: Column) =>
    (changes: Partial<Column>): void =>
      change(columns.map((one) => (one === changed ? { ...one, ...changes } : one)));
  const shown: readonly TableColumn<Column>[] = [
    { label: text.column, cell: ({ name }) => <span className="text-plain">{name}</span> },
    { label: text.firstCells, cell: (column) => <Samples column={column} /> },
    {
      label: text.meaning,
      cell: (column) => <Meaning column={column} change={changeOf(column)} />,
    },
    {
      label: text.model,
      cell: (column) =>
        isFigure(column.role) ? (
          <Model column={column} labels={labels} change={changeOf(column)} />
        ) : null,
    },
  ];
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {text.mapping}
      </Text>
      <ListTable
        label={text.mapping}
        columns={shown}
        rows={columns}
        keyOf={(_column, at) => at}
        minWidth={640}
        maxHeight={420}
      />
    </Stack>
  );
}

const Samples = ({ column: { samples } }: { column: Column }) => (
  <Text size="sm" c="dimmed" lineClamp={2} maw={260}>
    {samples.slice(0, 3).join(' · ')}
  </Text>
);

interface FieldProps {
  column: Column;
  change: (changes: Partial<Column>) => void;
}

const Meaning = ({ column: { name, role, model }, change }: FieldProps) => (
  <NativeSelect
    size="xs"
    aria-label={fill(text.meaningOf, { name })}
    data={roles}
    value={role}
    onChange={({ currentTarget }) =>
      change({ role: currentTarget.value as Role, model: model === '' ? name : model })
    }
  />
);

const Model = ({
  column: { name, model },
  labels,
  change,
}: FieldProps & Pick<MappingProps, 'labels'>) => (
  <Autocomplete
    size="xs"
    aria-label={fill(text.modelOf, { name })}
    data={[...labels]}
    limit={20}
    value={model}
    onChange={(label) => change({ model: label })}
  />
);
