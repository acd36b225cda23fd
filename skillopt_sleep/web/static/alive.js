// Says on a page that is open whether the dashboard has ended or was started again. The server answers /alive with
// 204, and with 401 if it is another one than the page came from.
const alive = new URL("../alive", document.currentScript.src);
const ended = document.getElementById("ended");
const renewed = document.getElementById("renewed");

function say(state) {
  ended.hidden = state !== "ended";
  renewed.hidden = state !== "renewed";
}

async function look() {
  if (document.hidden) return;
  try {
    const answer = await fetch(alive, { cache: "no-store", signal: AbortSignal.timeout(2500) });
    say(answer.status === 401 ? "renewed" : "alive");
  } catch (error) {
    if (error.name !== "TimeoutError") say("ended");
  }
}

setInterval(look, 3000);
document.addEventListener("visibilitychange", look);
// What was typed would be lost with the page.
document.addEventListener("submit", event => {
  if (!ended.hidden || !renewed.hidden) event.preventDefault();
});
