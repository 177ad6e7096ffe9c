-- A claim or composite resource of Crossplane: Synced says whether Crossplane could work on it, Ready whether all of it is there.
local found = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    found[condition.type] = condition
  end
end

local function say(status, condition, otherwise)
  local message = otherwise
  if condition ~= nil and condition.message ~= nil and condition.message ~= "" then
    message = condition.message
  elseif condition ~= nil and condition.reason ~= nil and condition.reason ~= "" then
    message = condition.reason
  end
  return { status = status, message = message }
end

local synced, ready = found["Synced"], found["Ready"]

if synced ~= nil and synced.status == "False" then
  if synced.reason == "ReconcilePaused" then
    return say("Suspended", synced, "Paused")
  end
  return say("Degraded", synced, "Crossplane cannot reconcile it")
end
if ready ~= nil and ready.status == "False" and ready.reason == "Unavailable" then
  return say("Degraded", ready, "Not available")
end
if synced == nil or synced.status ~= "True" then
  return say("Progressing", synced, "Waiting for Crossplane")
end
if ready == nil or ready.status ~= "True" then
  return say("Progressing", ready, "Waiting for its resources")
end
return { status = "Healthy", message = "Everything is there" }
