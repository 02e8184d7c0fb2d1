import { BrandMark, Wordmark } from '#web/app/brand.tsx'
import { cx } from '#web/ui/class-names.ts'
import { Icon, iconNames } from '#web/ui/icon.tsx'
import { Part, Row } from './part.tsx'

/** Whole class names: Tailwind finds only class names that the sources contain. */
const colours = {
  Surfaces: ['bg-surface', 'bg-raised', 'bg-sunken', 'bg-spine', 'bg-spine-active'],
  'Words and lines': ['bg-ink', 'bg-muted', 'bg-line', 'bg-line-strong', 'bg-rule'],
  Action: ['bg-brand', 'bg-brand-hover', 'bg-on-brand', 'bg-brand-soft', 'bg-on-brand-soft'],
  State: ['bg-positive', 'bg-positive-soft', 'bg-caution', 'bg-caution-soft', 'bg-caution-mark', 'bg-info', 'bg-info-soft'],
  Danger: ['bg-danger', 'bg-danger-hover', 'bg-danger-soft'],
  Charts: ['bg-chart-paid', 'bg-chart-left', 'bg-chart-cap', 'bg-chart-compare', 'bg-chart-grid'],
  Focus: ['bg-focus', 'bg-focus-on-spine'],
}
const words = ['text-xs', 'text-sm', 'text-base', 'text-lg', 'text-xl', 'text-2xl']
const figures = ['text-figure-sm', 'text-figure-md', 'text-figure-lg', 'text-figure-xl']
const shadows = ['shadow-1', 'shadow-2', 'shadow-3']
const radii = ['rounded-sm', 'rounded-md', 'rounded-lg', 'rounded-full']
const spaces = ['w-1', 'w-2', 'w-3', 'w-4', 'w-5', 'w-6', 'w-8', 'w-10', 'w-12', 'w-16']

export function TokenSheet() {
  return (
    <>
      <Part title="Mark">
        <Row name="BrandMark, Wordmark">
          <BrandMark size={48} />
          <span className="rounded-md bg-spine p-3 text-on-spine">
            <Wordmark height={30} />
          </span>
        </Row>
      </Part>
      <Part title="Colour">
        {Object.entries(colours).map(([name, classes]) => (
          <Row key={name} name={name}>
            {classes.map((colour) => (
              <figure key={colour} className="w-32">
                <div className={cx('h-12 rounded-md border border-line', colour)} />
                <figcaption className="text-xs text-muted">{colour.slice(3)}</figcaption>
              </figure>
            ))}
          </Row>
        ))}
      </Part>
      <Part title="Type">
        {words.map((size) => (
          <p key={size} className={size}>
            <span className="text-xs text-muted">{size} </span>
            Every instalment, to the rupee. <span lang="hi">हर किस्त, रुपये-रुपये तक सही। कर्मचारी, श्रृंखला, ईएमआई</span>
          </p>
        ))}
        {figures.map((size) => (
          <p key={size} className={cx(size, 'font-semibold tabular-nums')}>
            ₹3,86,495.47 <span className="text-xs font-normal text-muted">{size}</span>
          </p>
        ))}
      </Part>
      <Part title="Space, elevation, radius">
        <Row name="4 px grid">
          {spaces.map((space) => (
            <figure key={space}>
              <div className={cx('h-6 bg-brand', space)} />
              <figcaption className="text-xs text-muted">{space.slice(2)}</figcaption>
            </figure>
          ))}
        </Row>
        <Row name="Elevation">
          {shadows.map((shadow) => (
            <div key={shadow} className={cx('grid size-24 place-items-center rounded-lg bg-raised text-xs', shadow)}>
              {shadow}
            </div>
          ))}
        </Row>
        <Row name="Radius">
          {radii.map((radius) => (
            <div key={radius} className={cx('grid h-16 w-32 place-items-center border border-line-strong bg-raised text-xs', radius)}>
              {radius}
            </div>
          ))}
        </Row>
      </Part>
      <Part title="Icons">
        <div className="grid grid-cols-4 gap-4 md:grid-cols-8">
          {iconNames.map((name) => (
            <figure key={name} className="text-center">
              <Icon name={name} size={24} className="mx-auto" />
              <figcaption className="text-xs text-muted">{name}</figcaption>
            </figure>
          ))}
        </div>
      </Part>
    </>
  )
}
