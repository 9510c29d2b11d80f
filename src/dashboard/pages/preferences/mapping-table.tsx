import { Autocomplete, NativeSelect, Stack, Table, Text } from '@mantine/core';
import { fill, texts } from '../../texts/texts.js';
import { type Column, isFigure, type Role } from './column-mapping.js';
import { ScrollingTable } from './scrolling-table.js';

const text = texts.preferences;
const roles = Object.entries(text.roles).map(([value, label]) => ({ value, label }));

interface MappingProps {
  columns: readonly Column[];
  labels: readonly string[];
  change: (columns: Column[]) => void;
}

/** The first cells of each column, and what the column means. */
export function MappingTable({ columns, labels, change }: MappingProps) {
  const changeAt = (at: number, changes: Partial<Column>): void =>
    change(columns.map((column, place) => (place === at ? { ...column, ...changes } : column)));
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {text.mapping}
      </Text>
      <ScrollingTable least={640} most={420} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {[text.column, text.firstCells, text.meaning, text.model].map((label) => (
              <Table.Th key={label}>{label}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {columns.map((column, at) => (
            <Row
              key={at}
              column={column}
              labels={labels}
              change={(changes) => changeAt(at, changes)}
            />
          ))}
        </Table.Tbody>
      </ScrollingTable>
    </Stack>
  );
}

interface RowProps {
  column: Column;
  labels: readonly string[];
  change: (changes: Partial<Column>) => void;
}

function Row({ column: { name, samples, role, model }, labels, change }: RowProps) {
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600}>
          {name}
        </Text>
      </Table.Td>
      <Table.Td maw={260}>
        <Text size="sm" c="dimmed" lineClamp={2}>
          {samples.slice(0, 3).join(' · ')}
        </Text>
      </Table.Td>
      <Table.Td>
        <NativeSelect
          size="xs"
          aria-label={fill(text.meaningOf, { name })}
          data={roles}
          value={role}
          onChange={({ currentTarget }) =>
            change({ role: currentTarget.value as Role, model: model === '' ? name : model })
          }
        />
      </Table.Td>
      <Table.Td>
        {isFigure(role) ? (
          <Autocomplete
            size="xs"
            aria-label={fill(text.modelOf, { name })}
            data={[...labels]}
            limit={20}
            value={model}
            onChange={(label) => change({ model: label })}
          />
        ) : null}
      </Table.Td>
    </Table.Tr>
  );
}
