// The race after any gameweek: by the slider, or by a finger or a pointer on the chart. Without
// this file the key says how it stands after the latest, and the table below has all numbers.
const slider = /** @type {HTMLInputElement | null} */ (document.getElementById("race-slider"));

if (slider) {
  const statusLine = document.getElementById("race-said");
  const charts = /** @type {SVGSVGElement[]} */ ([...document.querySelectorAll(".race-svg")]);
  const values = /** @type {HTMLElement[]} */ ([
    ...document.querySelectorAll(".race-key [data-values]"),
  ]);
  const weeks = slider.dataset.weeks.split(" ");
  const places = (chart) => chart.dataset.weeks.split(" ").map(Number);

  const show = () => {
    const at = Number(slider.value);
    statusLine.textContent = `After Week ${weeks[at]}`;
    slider.setAttribute("aria-valuetext", `Week ${weeks[at]}`);
    for (const value of values) value.textContent = value.dataset.values.split(" ")[at];
    for (const chart of charts) {
      const moment = chart.querySelector(".moment");
      for (const end of ["x1", "x2"]) moment.setAttribute(end, String(places(chart)[at]));
    }
  };

  const follow = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * event.currentTarget.viewBox.baseVal.width;
    const far = places(event.currentTarget).map((place) => Math.abs(place - x));
    const at = String(far.indexOf(Math.min(...far)));
    if (at === slider.value) return;
    slider.value = at;
    show();
  };

  slider.hidden = false;
  slider.addEventListener("input", show);
  for (const chart of charts) {
    chart.addEventListener("pointerdown", follow);
    chart.addEventListener("pointermove", follow);
  }
  show(); // a browser that returns to the page keeps the slider's position
}
